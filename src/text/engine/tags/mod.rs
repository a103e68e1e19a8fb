//! Parameters as tags, or as pairs of a key tag and a value tag: the table, and where a call begins.
//!
//! ```text
//!  block opener ─▶ gap ─ function tag ─▶ call ─ function end ─▶ gap
//! ```

mod call;

use super::{Engine, Entry, Identity, Open};
use crate::text::ahead::{Ahead, Doubt, Look, NAME_LIMIT};
use crate::text::format::{longest, max};
use crate::text::options::Tools;
use crate::text::tag;

pub(crate) use call::Run;

/// Table of a grammar that writes parameters as tags.
///
/// An example is at [`Format`](crate::text::Format).
#[derive(Debug)]
pub struct Tags {
    pub(crate) openers: &'static [&'static str],
    pub(crate) closers: &'static [&'static str],
    pub(crate) blocks: &'static [&'static str],
    pub(crate) function: Function,
    pub(crate) parameter: Parameter,
    pub(crate) bare: bool,
    pub(crate) trim_newline: bool,
    pub(crate) lone_block: bool,
}

/// How a call begins and ends.
///
/// An example is at [`Format`](crate::text::Format).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Function {
    /// `openNAME>` or `open"NAME" …>`, then `close`; `open` ends with the `=`.
    Tag {
        /// Up to the name.
        open: &'static str,
        /// The end tag.
        close: &'static str,
    },
    /// `open`, the name, `separator` (may be empty), then `close`.
    Name {
        /// In front of the name.
        open: &'static str,
        /// Behind the name.
        separator: &'static str,
        /// The end tag.
        close: &'static str,
    },
}

impl Function {
    pub(crate) const fn marker(&self) -> &'static str {
        match self {
            Function::Tag { open, .. } | Function::Name { open, .. } => open,
        }
    }

    pub(crate) const fn close(&self) -> &'static str {
        match self {
            Function::Tag { close, .. } | Function::Name { close, .. } => close,
        }
    }
}

/// How a parameter is written.
///
/// An example is at [`Format`](crate::text::Format).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Parameter {
    /// `openNAME>` or `open"NAME" …>`, the value, then `close`; `open` ends with the `=`.
    Tag {
        /// Up to the name.
        open: &'static str,
        /// The end tag.
        close: &'static str,
    },
    /// A tag around the name, then a tag around the value.
    Pair {
        /// In front of the name.
        key: &'static str,
        /// Behind the name.
        key_end: &'static str,
        /// In front of the value.
        value: &'static str,
        /// Behind the value.
        value_end: &'static str,
    },
}

impl Parameter {
    /// What every parameter begins with.
    pub(crate) const fn open(&self) -> &'static str {
        match self {
            Parameter::Tag { open, .. } => open,
            Parameter::Pair { key, .. } => key,
        }
    }

    /// What every value ends with.
    pub(crate) const fn close(&self) -> &'static str {
        match self {
            Parameter::Tag { close, .. } => close,
            Parameter::Pair { value_end, .. } => value_end,
        }
    }
}

impl Tags {
    /// Calls and parameters in these tags.
    pub const fn new(function: Function, parameter: Parameter) -> Self {
        Tags {
            openers: &[],
            closers: &[],
            blocks: &[],
            function,
            parameter,
            bare: false,
            trim_newline: false,
            lone_block: false,
        }
    }

    /// Every marker that may begin a call inside text: those of [`blocks`](Tags::blocks), and the
    /// function's own where it may stand alone.
    pub const fn openers(mut self, openers: &'static [&'static str]) -> Self {
        self.openers = openers;
        self
    }

    /// The tags that begin a block of calls.
    pub const fn blocks(mut self, blocks: &'static [&'static str]) -> Self {
        self.blocks = blocks;
        self
    }

    /// The end tags of blocks.
    pub const fn closers(mut self, closers: &'static [&'static str]) -> Self {
        self.closers = closers;
        self
    }

    /// The block's tag may lack, if the name is that of a known tool.
    pub const fn bare(mut self) -> Self {
        self.bare = true;
        self
    }

    /// One line feed at each end of a value is framing.
    pub const fn trim_newline(mut self) -> Self {
        self.trim_newline = true;
        self
    }

    /// The block's tag counts without a call behind it: it is a reserved token.
    pub const fn lone_block(mut self) -> Self {
        self.lone_block = true;
        self
    }

    /// Whether a name must be read to prove an opener.
    pub(crate) const fn names_in_text(&self) -> bool {
        matches!(self.function, Function::Name { .. })
    }

    /// The longest token that may follow a name or white space.
    pub(crate) const fn longest_part(&self) -> usize {
        let part = max(self.parameter.open().len(), self.function.close().len());
        max(part, longest(self.closers))
    }

    pub(crate) fn enter(
        &'static self,
        ahead: Ahead<'_>,
        tools: Tools<'_>,
        line_start: bool,
        identity: &mut Identity,
    ) -> Look<Entry> {
        let mut block = ahead;
        match block.any(self.blocks) {
            Ok(_) if self.lone_block => return Ok(Entry::gap(block.at, Some(Open::Tags(self)))),
            Ok(_) => {
                block.space()?;
                return self.function_at(block, identity);
            }
            Err(Doubt::More) => return Err(Doubt::More),
            Err(Doubt::No) => {}
        }
        if self.bare {
            return self.bare_function(ahead, tools, line_start);
        }
        let mut standing = ahead;
        standing.any(self.openers)?;
        self.function_at(ahead, identity)
    }

    /// Between the calls of a block.
    pub(crate) fn resume(&'static self, ahead: Ahead<'_>, identity: &mut Identity) -> Look<Entry> {
        let mut closer = ahead;
        match closer.any(self.closers) {
            Ok(_) => return Ok(Entry::gap(closer.at, None)),
            Err(Doubt::More) => return Err(Doubt::More),
            Err(Doubt::No) => {}
        }
        self.function_at(ahead, identity)
    }

    /// A call's beginning at the cursor.
    fn function_at(&'static self, mut ahead: Ahead<'_>, identity: &mut Identity) -> Look<Entry> {
        match self.function {
            Function::Tag { open, .. } => {
                let start = ahead.at;
                ahead.literal(open)?;
                Ok(Entry::engine(start, Engine::Tags(Run::at_the_tag(self))))
            }
            Function::Name { open, separator, close } => {
                ahead.literal(open)?;
                let name = ahead.name()?;
                let body = if separator.is_empty() {
                    let body = ahead.at;
                    ahead.space()?;
                    ahead.any(&[self.parameter.open(), close])?;
                    body
                } else {
                    ahead.space()?;
                    ahead.literal(separator)?;
                    ahead.at
                };
                identity.name(name);
                Ok(Entry::start(body, Engine::Tags(Run::behind_the_name(self))))
            }
        }
    }

    /// A call without its block: the name must be a known one, and a parameter or the end must
    /// follow. A call without parameters must begin a line besides.
    fn bare_function(
        &'static self,
        ahead: Ahead<'_>,
        tools: Tools<'_>,
        line_start: bool,
    ) -> Look<Entry> {
        let Function::Tag { open, close } = self.function else {
            return Err(Doubt::No);
        };
        let start = ahead.at;
        let mut ahead = ahead;
        ahead.literal(open)?;
        let tag = tag::read(ahead.until(">", NAME_LIMIT)?);
        if !tools.permit(tag.name) {
            return Err(Doubt::No);
        }
        ahead.space()?;
        match ahead.any(&[self.parameter.open(), close])? {
            1 if !line_start => Err(Doubt::No),
            _ => Ok(Entry::engine(start, Engine::Tags(Run::at_the_tag(self)))),
        }
    }
}
