//! The language of a file, by its name alone.

use super::UnreadUnits;
use crate::text::escape::clip;

/// The version of the grammars and their tables. Raise it when one of them changes an answer for some source: stored
/// answers of another version are discarded.
pub(crate) const GRAMMARS: usize = 2;

/// A language with known units. TypeScript has two grammars: `Tsx` reads JSX, `TypeScript` does not.
#[allow(missing_docs)] // languages by their names
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    TypeScript,
    Tsx,
    JavaScript,
    Python,
    Go,
    Rust,
    Java,
    Ruby,
}

/// Each language with its name in machine formats and the extensions of its files.
const LANGUAGES: [(Language, &str, &[&str]); 8] = [
    (Language::TypeScript, "typescript", &["ts", "mts", "cts"]),
    (Language::Tsx, "tsx", &["tsx"]),
    (Language::JavaScript, "javascript", &["js", "jsx", "mjs", "cjs"]),
    (Language::Python, "python", &["py", "pyi"]),
    (Language::Go, "go", &["go"]),
    (Language::Rust, "rust", &["rs"]),
    (Language::Java, "java", &["java"]),
    (Language::Ruby, "ruby", &["rb"]),
];

impl Language {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::TypeScript, Self::Tsx, Self::JavaScript, Self::Python, Self::Go, Self::Rust, Self::Java, Self::Ruby];

    /// Its name in machine formats.
    pub(crate) const fn name(self) -> &'static str {
        LANGUAGES[self as usize].1
    }
}

/// How many characters of a name are shown.
const MOST_SHOWN: usize = 40;

/// The language of the file at `path`.
///
/// # Errors
/// [`UnreadUnits::Language`] with the extension, or with the name if it has no extension.
pub fn language(path: &str) -> Result<Language, UnreadUnits> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let known = LANGUAGES.iter().find(|(_, _, endings)| endings.contains(&ending));
    known.map(|(language, ..)| *language).ok_or_else(|| {
        let unknown = if ending.is_empty() { name.to_owned() } else { format!(".{ending}") };
        UnreadUnits::Language(clip(&unknown, MOST_SHOWN).into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_language() {
        for (path, wanted) in [
            ("src/a.ts", Ok(Language::TypeScript)),
            ("a.d.cts", Ok(Language::TypeScript)),
            ("a.tsx", Ok(Language::Tsx)),
            ("a.jsx", Ok(Language::JavaScript)),
            ("a.b/c.pyi", Ok(Language::Python)),
            ("a.zig", Err(UnreadUnits::Language(".zig".into()))),
            ("a.py/Makefile", Err(UnreadUnits::Language("Makefile".into()))),
        ] {
            assert_eq!(language(path), wanted, "{path}");
        }
    }
}
