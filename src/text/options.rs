//! What the caller knows beside the text.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

/// What the caller knows about a text that cannot be told from it.
///
/// ```
/// use toolcall::text::{Options, Tool};
///
/// let options = Options::default().tools([Tool::new("ping")]).starts_in_reasoning(true);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    pub(crate) tools: Option<Vec<Tool>>,
    pub(crate) starts_in_reasoning: bool,
    pub(crate) calls_in_reasoning: bool,
}

impl Options {
    /// The tools that were offered to the model. They decide two things: whether something without a
    /// marker is a call (its name must be among them), and which types the values have in formats
    /// that write them untyped. A call with a marker is given out whatever its name is.
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.tools = Some(tools.into_iter().collect());
        self
    }

    /// The prompt opened the reasoning already, so the text begins inside it.
    pub fn starts_in_reasoning(mut self, yes: bool) -> Self {
        self.starts_in_reasoning = yes;
        self
    }

    /// Takes calls inside reasoning for calls. By default they are drafts, and stay reasoning.
    pub fn calls_in_reasoning(mut self, yes: bool) -> Self {
        self.calls_in_reasoning = yes;
        self
    }

    pub(crate) fn known(&self) -> Tools<'_> {
        Tools(self.tools.as_deref())
    }
}

/// A tool that was offered to the model.
///
/// ```
/// use serde_json::json;
/// use toolcall::text::{Options, Tool};
///
/// let schema = json!({"type": "object", "properties": {"days": {"type": "integer"}}});
/// let options = Options::default().tools([Tool::new("forecast").parameters(schema)]);
/// # drop(options);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tool {
    /// The name.
    pub name: String,
    /// The JSON Schema of the arguments; `null` where there is none.
    pub parameters: Value,
}

impl Tool {
    /// A tool without a schema.
    pub fn new(name: impl Into<String>) -> Self {
        Tool { name: name.into(), parameters: Value::Null }
    }

    /// Sets the JSON Schema of the arguments.
    pub fn parameters(mut self, schema: Value) -> Self {
        self.parameters = schema;
        self
    }
}

/// The tools that were offered, if anybody said.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tools<'t>(Option<&'t [Tool]>);

impl<'t> Tools<'t> {
    /// Whether something without a marker may be a call to `name`. Where nobody said which tools there
    /// are, its form is the only evidence.
    pub(crate) fn permit(self, name: &str) -> bool {
        self.0.is_none_or(|tools| tools.iter().any(|tool| tool.name == name))
    }

    pub(crate) fn schema(self, name: &str) -> Option<&'t Value> {
        self.0?.iter().find(|tool| tool.name == name).map(|tool| &tool.parameters)
    }
}
