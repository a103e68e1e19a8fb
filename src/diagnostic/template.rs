//! Tokens of chat and tool-call templates that a server should have taken out.

/// Names of tags that the templates of open models use; `antml` and the like stand before a colon.
const NAMES: &[&str] = &[
    "tool_call",
    "tool_calls",
    "toolcall",
    "function",
    "function_call",
    "function_calls",
    "invoke",
    "parameter",
    "parameters",
    "arg_key",
    "arg_value",
    "tool_sep",
    "tool_use",
    "tool_response",
    "arguments",
    "end_of_turn",
    "start_of_turn",
    "eos",
    "bos",
    "s",
    "im_end",
    "im_start",
    "think",
    "answer",
    "end_function_call",
    "start_function_call",
];

/// The length of the template token that `text` begins with; it may be cut at the text's end.
pub(super) fn token_at(text: &str) -> Option<usize> {
    if text.starts_with("```") {
        return Some(3);
    }
    for (open, close) in
        [("<|", "|>"), ("<｜", "｜>"), ("</｜", ">"), ("[TOOL", "]"), ("[/TOOL", "]")]
    {
        if let Some(rest) = text.strip_prefix(open) {
            let name = rest.find(close).unwrap_or(rest.len());
            let is_name = name <= 64 && !rest[..name].contains(['\n', '{', '}']);
            return is_name.then(|| text.len().min(open.len() + name + close.len()));
        }
    }
    let rest = text.strip_prefix('<')?;
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let letters = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_-:".contains(c)));
    let name = &rest[..letters.unwrap_or(rest.len())];
    let base = name.rsplit(':').next().unwrap_or(name);
    if !NAMES.iter().any(|known| base.eq_ignore_ascii_case(known)) {
        return None;
    }
    let begin = text.len() - rest.len();
    let tail = &text[begin + name.len()..];
    match tail.find('>') {
        Some(end) if !tail[..end].contains(['<', '\n']) => Some(begin + name.len() + end + 1),
        None if !tail.contains(['<', '\n']) => Some(text.len()),
        _ => None,
    }
}

/// The last template token in a text, and its length, if nothing but white space stands behind it.
pub(super) fn token_at_end(text: &str) -> Option<(usize, usize)> {
    const WINDOW: usize = 96;
    let text_end = text.trim_ascii_end().len();
    let mut from = text_end.saturating_sub(WINDOW);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text[from..text_end].match_indices(['<', '[', '`']).find_map(|(index, _)| {
        let at = from + index;
        let length = token_at(&text[at..text_end])?;
        (at + length == text_end).then_some((at, length))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_tokens_are_known() {
        let tokens = [
            "</tool_call>",
            "<|im_end|>",
            "<|tool▁call▁end|>",
            "<｜tool▁calls▁end｜>",
            "</｜DSML｜parameter>",
            "</s>",
            "<end_of_turn>",
            "```",
            "[/TOOL_CALLS]",
            "</invoke>",
            "</minimax:tool_call>",
            "<parameter=path>",
            "<|\"|>",
            "</｜DSML｜parameter",
            "<|im_e",
            "</tool_call",
            "</TOOLCALL>",
        ];
        for token in tokens {
            assert_eq!(token_at(token), Some(token.len()), "{token:?}");
            let followed = alloc::format!("{token}\n");
            if token.ends_with(['>', ']', '`']) {
                assert_eq!(token_at(&followed), Some(token.len()), "{token:?}");
            }
            assert_eq!(token_at_end(&alloc::format!("a < b{token} ")), Some((5, token.len())));
        }
        for text in [
            "",
            "<",
            "</",
            "</div>",
            "<p>",
            "[1]",
            "a",
            "{",
            "}",
            "<|{\"a\":1}",
            "`",
            "<b",
            "<invoke\nx",
        ] {
            assert_eq!(token_at(text), None, "{text:?}");
            assert_eq!(token_at_end(text), None, "{text:?}");
        }
    }
}
