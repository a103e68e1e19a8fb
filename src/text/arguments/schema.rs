//! Types for values that the model wrote without one.

use alloc::string::String;

use serde_json::{Number, Value};

/// How many references and unions deep a type is looked for.
const DEPTH: u32 = 16;

/// The types that a schema allows for one value; none known is no restriction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Types {
    known: bool,
    null: bool,
    string: bool,
    boolean: bool,
    integer: bool,
    number: bool,
    array: bool,
    object: bool,
}

impl Types {
    /// The value is text, whatever it looks like.
    pub(crate) const STRING: Types = Types {
        known: true,
        string: true,
        null: false,
        boolean: false,
        integer: false,
        number: false,
        array: false,
        object: false,
    };

    /// What `schema`, the schema of the whole arguments, says about the parameter `name`.
    pub(crate) fn of_parameter(schema: Option<&Value>, name: &str) -> Types {
        let mut types = Types::default();
        let Some(root) = schema else { return types };
        let property = root.get("properties").and_then(|properties| properties.get(name));
        let property = property.or_else(|| root.get("additionalProperties"));
        if let Some(property) = property {
            types.collect(property, root, DEPTH);
        }
        types
    }

    /// Adds what a schema allows: its branches count together.
    fn collect(&mut self, schema: &Value, root: &Value, depth: u32) {
        if depth == 0 {
            return;
        }
        match schema.get("type") {
            Some(Value::String(name)) => self.allow(name),
            Some(Value::Array(names)) => {
                names.iter().filter_map(Value::as_str).for_each(|name| self.allow(name));
            }
            _ => {
                let examples = schema.get("enum").and_then(Value::as_array);
                let examples = examples.map_or(&[][..], |list| list).iter();
                examples.chain(schema.get("const")).for_each(|value| self.allow(type_of(value)));
            }
        }
        if schema.get("nullable") == Some(&Value::Bool(true)) {
            self.allow("null");
        }
        for branches in ["anyOf", "oneOf", "allOf"] {
            let branches = schema.get(branches).and_then(Value::as_array);
            for branch in branches.map_or(&[][..], |list| list) {
                self.collect(branch, root, depth - 1);
            }
        }
        let reference = schema.get("$ref").and_then(Value::as_str);
        let path = reference.and_then(|reference| reference.strip_prefix('#'));
        if let Some(target) = path.and_then(|path| root.pointer(path)) {
            self.collect(target, root, depth - 1);
        }
    }

    fn allow(&mut self, name: &str) {
        self.known = true;
        match name {
            "null" => self.null = true,
            "boolean" => self.boolean = true,
            "integer" => self.integer = true,
            "number" => self.number = true,
            "array" => self.array = true,
            "object" => self.object = true,
            // What nobody knows is left as it is written.
            _ => self.string = true,
        }
    }

    /// Writes `text` as JSON. Where it fits none of the types it stays the text that it is: the types are
    /// for the caller to judge.
    pub(crate) fn write(self, text: &str, out: &mut String) {
        let trimmed = text.trim();
        if self.known {
            if self.null && trimmed == "null" {
                return out.push_str("null");
            }
            if self.string {
                return write_string(text, out);
            }
            if self.boolean && trimmed.eq_ignore_ascii_case("true") {
                return out.push_str("true");
            }
            if self.boolean && trimmed.eq_ignore_ascii_case("false") {
                return out.push_str("false");
            }
            let whole = if self.integer && !self.number { integer_of_float(trimmed) } else { None };
            if let Some(integer) = whole {
                return out.push_str(itoa(integer, &mut String::new()));
            }
        }
        match serde_json::from_str(trimmed) {
            Ok(value) if self.allows(&value, trimmed) => out.push_str(trimmed),
            _ => write_string(text, out),
        }
    }

    fn allows(self, value: &Value, text: &str) -> bool {
        match value {
            Value::String(_) => false,
            _ if !self.known => true,
            Value::Number(_) => self.number || (self.integer && is_integer(text)),
            Value::Array(_) => self.array,
            Value::Object(_) => self.object,
            Value::Null | Value::Bool(_) => false,
        }
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn is_integer(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// The integer that a float's text stands for, where it is one and exact.
fn integer_of_float(text: &str) -> Option<i64> {
    if is_integer(text) {
        return None;
    }
    let value = serde_json::from_str::<Number>(text).ok()?.as_f64()?;
    let integer = value as i64;
    (integer as f64 == value && integer.unsigned_abs() <= 1 << 53).then_some(integer)
}

fn itoa(integer: i64, buffer: &mut String) -> &str {
    use core::fmt::Write;
    // Writing to a string does not fail.
    let _ = write!(buffer, "{integer}");
    buffer
}

/// Writes `text` as a JSON string.
pub(crate) fn write_string(text: &str, out: &mut String) {
    match serde_json::to_string(text) {
        Ok(literal) => out.push_str(&literal),
        Err(_) => out.push_str("\"\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn written(schema: &Value, text: &str) -> String {
        let root = json!({"properties": {"p": schema}, "$defs": {"n": {"type": "integer"}}});
        let mut out = String::new();
        Types::of_parameter(Some(&root), "p").write(text, &mut out);
        out
    }

    #[test]
    fn declared_types() {
        assert_eq!(written(&json!({"type": "string"}), "02134"), "\"02134\"");
        assert_eq!(written(&json!({"type": "integer"}), "230.0"), "230");
        assert_eq!(written(&json!({"type": "integer"}), "2.5"), "\"2.5\"");
        assert_eq!(
            written(&json!({"type": "integer"}), "123456789012345678901"),
            "123456789012345678901"
        );
        assert_eq!(written(&json!({"type": "number"}), "1.50"), "1.50");
        assert_eq!(written(&json!({"type": "boolean"}), "True"), "true");
        assert_eq!(written(&json!({"type": "boolean"}), "yes"), "\"yes\"");
        assert_eq!(written(&json!({"type": "object"}), "{\"k\": null}"), "{\"k\": null}");
        assert_eq!(written(&json!({"type": "array"}), "a, b"), "\"a, b\"");
        assert_eq!(written(&json!({"type": "array"}), "{}"), "\"{}\"");
        assert_eq!(written(&json!({"type": "object"}), "[1]"), "\"[1]\"");
        assert_eq!(written(&json!({"type": "integer"}), "null"), "\"null\"");
    }

    #[test]
    fn unions_and_references() {
        assert_eq!(written(&json!({"type": ["integer", "null"]}), "null"), "null");
        assert_eq!(
            written(&json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}), "5"),
            "\"5\""
        );
        assert_eq!(written(&json!({"$ref": "#/$defs/n"}), "5"), "5");
        assert_eq!(written(&json!({"type": "integer", "nullable": true}), "null"), "null");
        assert_eq!(written(&json!({"enum": ["1", "2"]}), "1"), "\"1\"");
    }

    #[test]
    fn nothing_declared() {
        assert_eq!(written(&json!({}), "42"), "42");
        assert_eq!(written(&json!({}), "042"), "\"042\"");
        assert_eq!(written(&json!({}), "\"q\""), "\"\\\"q\\\"\"");
        assert_eq!(written(&json!({}), "[1, 2]"), "[1, 2]");
        assert_eq!(written(&json!({}), "True"), "\"True\"");
    }

    #[test]
    fn a_reference_to_itself_ends() {
        let root = json!({"properties": {"p": {"$ref": "#/properties/p"}}});
        assert_eq!(Types::of_parameter(Some(&root), "p"), Types::default());
    }
}
