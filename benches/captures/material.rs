//! What the responses are made of: words, code, arguments, and the chance that mixes them.

use std::fmt::Write;

/// A seeded source of chance (SplitMix64) and of text.
pub struct Source(u64);

/// A call as a model would make it.
pub struct Call {
    pub id: String,
    pub name: &'static str,
    /// The arguments' text, cut into fragments.
    pub fragments: Vec<String>,
}

const WORDS: &[&str] = &[
    " the",
    " of",
    " a",
    " to",
    " in",
    " is",
    " it",
    " we",
    " need",
    " file",
    " look",
    " at",
    " first",
    " then",
    " test",
    "ing",
    "ed",
    "s",
    ".",
    ",",
    ":",
    " (",
    ")",
    "\n",
    "\n\n",
    " \"",
    "\"",
    " `",
    "`",
    " -",
    "3",
    " 20",
    "26",
    "\t",
    " I",
    "'ll",
    " fonction",
    " déjà",
    " größer",
    " 天気",
    " →",
    " 🙂",
];
const NAMES: &[&str] =
    &["read_file", "web_search", "replace_text", "query_database", "open_ticket", "add_numbers"];
const CODE: &[&str] = &[
    "pub fn sum(items: &[u32]) -> u32 {\n",
    "    items.iter().copied().fold(0, u32::wrapping_add)\n",
    "}\n",
    "\n",
    "    if path == \"\\\\server\\\\share\" {\n",
    "        return Err(format!(\"cannot read \\\"{path}\\\"\"));\n",
    "\tlet quoted = line.replace('\"', \"\\\\\\\"\");\n",
    "/// Gives \"none\" where nothing is.\n",
    "    // où l'on compte les éléments\n",
    "    while let Some(next) = stack.pop() {\n",
    "        total += next.weight;\n",
    "#[derive(Debug, Clone, Default)]\n",
    "    println!(\"{total}\\t{count}\\n\");\n",
];
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

impl Source {
    pub fn new(seed: u64) -> Self {
        Source(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() % (high - low + 1) as u64) as usize
    }

    pub fn percent(&mut self, chance: usize) -> bool {
        self.between(1, 100) <= chance
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.between(0, from.len() - 1)]
    }

    /// Letters and digits, as ids are made of.
    pub fn letters(&mut self, len: usize) -> String {
        (0..len).map(|_| self.pick(LETTERS) as char).collect()
    }

    pub fn words(&mut self, low: usize, high: usize) -> String {
        (0..self.between(low, high)).map(|_| self.pick(WORDS)).collect()
    }

    pub fn code(&mut self, bytes: usize) -> String {
        let mut code = String::new();
        while code.len() < bytes {
            code += self.pick(CODE);
        }
        code
    }

    /// A call of one of several tools, in fragments of `low` to `high` characters.
    pub fn call(&mut self, id_prefix: &str, low: usize, high: usize) -> Call {
        let name = self.pick(NAMES);
        let arguments = self.arguments(name);
        let fragments = self.fragments(&arguments, low, high);
        Call { id: format!("{id_prefix}{}", self.letters(24)), name, fragments }
    }

    /// A call that writes a file of `bytes`, in fragments of `fragment` characters.
    pub fn large_call(&mut self, id_prefix: &str, bytes: usize, fragment: usize) -> Call {
        let code = self.code(bytes);
        let arguments = format!("{{\"path\":\"src/sum.rs\",\"content\":\"{}\"}}", Escaped(&code));
        let fragments = self.fragments(&arguments, fragment, fragment);
        Call { id: format!("{id_prefix}{}", self.letters(24)), name: "write_file", fragments }
    }

    fn arguments(&mut self, name: &str) -> String {
        match name {
            "read_file" => format!(
                "{{\"path\":\"src/{}.rs\",\"limit\":{}}}",
                self.letters(6),
                self.between(1, 900)
            ),
            "web_search" => format!(
                "{{\"query\":\"{}\",\"options\":{{\"languages\":[\"de\",\"fr\"],\"since\":\"2026-0{}-01\",\"weight\":0.{}}},\"safe\":true}}",
                Escaped(&self.words(3, 15)),
                self.between(1, 9),
                self.between(10, 99)
            ),
            "replace_text" => {
                let (old, new) = (self.between(40, 90), self.between(60, 400));
                format!(
                    "{{\"path\":\"src/main.rs\",\"old\":\"{}\",\"new\":\"{}\"}}",
                    Escaped(&self.code(old)),
                    Escaped(&self.code(new))
                )
            }
            "query_database" => format!(
                "{{\"sql\":\"SELECT \\\"id\\\" FROM users\\nWHERE note LIKE '%\\\\\\\\_%'\\nLIMIT {}\",\"parameters\":[1,-2.5e3,null,false,\"x\"]}}",
                self.between(1, 99)
            ),
            "add_numbers" => {
                format!("{{\"a\":{},\"b\":-{}.5}}", self.next() >> 20, self.between(0, 999))
            }
            _ => format!(
                "{{\"title\":\"{}\",\"priority\":{},\"labels\":[\"bug\",\"later\"],\"body\":\"{}\"}}",
                Escaped(&self.words(2, 9)),
                self.between(1, 5),
                Escaped(&self.words(5, 40))
            ),
        }
    }

    fn fragments(&mut self, text: &str, low: usize, high: usize) -> Vec<String> {
        let mut characters = text.chars().peekable();
        let mut fragments = Vec::new();
        while characters.peek().is_some() {
            let len = self.between(low, high);
            fragments.push(characters.by_ref().take(len).collect());
        }
        fragments
    }
}

/// Text as it stands in a JSON string.
pub struct Escaped<'a>(pub &'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            '"' => f.write_str("\\\""),
            '\\' => f.write_str("\\\\"),
            '\n' => f.write_str("\\n"),
            '\t' => f.write_str("\\t"),
            '\u{0}'..='\u{1f}' => write!(f, "\\u{:04x}", character as u32),
            _ => f.write_char(character),
        })
    }
}
