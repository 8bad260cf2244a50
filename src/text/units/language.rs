//! The language of a file, by its name alone.

use super::UnreadUnits;
use crate::text::escape::clip;
use crate::text::spelled::spelled;

/// The version of the grammars and their tables. Raise it when one of them changes an answer for some source: stored
/// answers of another version are discarded.
pub(crate) const GRAMMARS: usize = 2;

spelled! {
    /// A language with known units. TypeScript has two grammars: `Tsx` reads JSX, `TypeScript` does not.
    #[allow(missing_docs)] // languages by their names
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Language {
        TypeScript = "typescript",
        Tsx = "tsx",
        JavaScript = "javascript",
        Python = "python",
        Go = "go",
        Rust = "rust",
        Java = "java",
        Ruby = "ruby",
    }
}

/// The extensions of the files of each language.
const EXTENSIONS: [(Language, &[&str]); 8] = [
    (Language::TypeScript, &["ts", "mts", "cts"]),
    (Language::Tsx, &["tsx"]),
    (Language::JavaScript, &["js", "jsx", "mjs", "cjs"]),
    (Language::Python, &["py", "pyi"]),
    (Language::Go, &["go"]),
    (Language::Rust, &["rs"]),
    (Language::Java, &["java"]),
    (Language::Ruby, &["rb"]),
];

/// How many characters of a name are shown.
const MOST_SHOWN: usize = 40;

/// The language of the file at `path`.
///
/// # Errors
/// [`UnreadUnits::Language`] with the extension, or with the name if it has no extension.
pub fn language(path: &str) -> Result<Language, UnreadUnits> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let known = EXTENSIONS.iter().find(|(_, endings)| endings.contains(&ending));
    known.map(|(language, _)| *language).ok_or_else(|| {
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
