//! From an envelope's bytes to its tokens.

use alloc::vec::Vec;

use super::fields::{Node, Token, read};
use super::json::Unexpected;

/// Reads the envelopes of one stream, one after the other, into one list of tokens.
#[derive(Debug)]
pub(crate) struct Envelope<F: 'static> {
    tokens: Vec<Token<F>>,
}

impl<F> Default for Envelope<F> {
    fn default() -> Self {
        Envelope { tokens: Vec::new() }
    }
}

impl<F: Copy> Envelope<F> {
    /// The tokens of `document`, as [`fields::read`](read) gives them.
    pub fn read(
        &mut self,
        document: &[u8],
        root: &'static Node<F>,
    ) -> Result<&[Token<F>], Unexpected> {
        self.tokens.clear();
        read(document, root, &mut self.tokens)?;
        Ok(&self.tokens)
    }
}
