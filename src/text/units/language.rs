//! The language of a file, by its name alone.

use super::UnreadUnits;
use crate::text::escape::clip;

/// The version of the grammars and their tables. Raise it when one of them changes an answer for some source: stored
/// answers of another version are discarded.
pub const GRAMMARS: usize = 2;

/// A language with known units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// TypeScript without JSX.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// JavaScript, with JSX or without.
    JavaScript,
    /// Python and its stubs.
    Python,
    /// Go.
    Go,
    /// Rust.
    Rust,
    /// Java.
    Java,
    /// Ruby.
    Ruby,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::TypeScript, Self::Tsx, Self::JavaScript, Self::Python, Self::Go, Self::Rust, Self::Java, Self::Ruby];

    /// Its name in machine formats.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TypeScript => "typescript",
            Self::Tsx => "tsx",
            Self::JavaScript => "javascript",
            Self::Python => "python",
            Self::Go => "go",
            Self::Rust => "rust",
            Self::Java => "java",
            Self::Ruby => "ruby",
        }
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
    Ok(match ending {
        "ts" | "mts" | "cts" => Language::TypeScript,
        "tsx" => Language::Tsx,
        "js" | "jsx" | "mjs" | "cjs" => Language::JavaScript,
        "py" | "pyi" => Language::Python,
        "go" => Language::Go,
        "rs" => Language::Rust,
        "java" => Language::Java,
        "rb" => Language::Ruby,
        "" => return Err(UnreadUnits::Language(clip(name, MOST_SHOWN).into())),
        other => return Err(UnreadUnits::Language(clip(&format!(".{other}"), MOST_SHOWN).into())),
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
