//! What a provider wants back unchanged, and nobody here has to understand.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Named values that must survive for the next request, each as the wire's own JSON: thought
/// signatures, callers, namespaces, server labels.
///
/// The names are the wire's own keys (`caller`, `namespace`, `thoughtSignature`, `extra_content`…).
///
/// ```
/// use toolcall::{Decoder, Message, Protocol};
///
/// let body = br#"data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"now","args":{}},"thoughtSignature":"c2ln"}]},"finishReason":"STOP"}]}
///
/// "#;
/// let mut decoder = Decoder::new(Protocol::Gemini);
/// let mut message = Message::default();
/// let mut input: &[u8] = body;
/// while let Some(event) = decoder.decode(&mut input)? {
///     message.push(event);
/// }
/// while let Some(event) = decoder.decode_eof()? {
///     message.push(event);
/// }
/// let call = message.calls().next().unwrap();
/// assert_eq!(call.extras().get("thoughtSignature"), Some("\"c2ln\""));
/// # Ok::<(), toolcall::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Extras(Vec<(String, String)>);

impl Extras {
    /// The value of a name, as JSON text.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| *known == name).map(|(_, json)| json)
    }

    /// Names and values, as JSON text, in the order they came in.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, json)| (name.as_str(), json.as_str()))
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A later value takes the place of an earlier one.
    pub(crate) fn set(&mut self, name: &str, json: &str) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = json.into(),
            None => self.0.push((name.into(), json.into())),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|(name, json)| name.len() + json.len()).sum()
    }
}

impl fmt::Debug for Extras {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
