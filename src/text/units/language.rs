//! Which language a file is written in, by its name alone.

use super::UnreadUnits;
use crate::text::escape::clip;

/// The number of the grammars and their tables. Raise it where one of them comes to say something else of a source: answers
/// of another number are forgotten.
pub const GRAMMARS: usize = 2;

/// A language whose units are known.
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

    /// Its name, as machine formats spell it.
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

/// So many characters of a name are told.
const MOST_SHOWN: usize = 40;

/// The language of the file at `path`.
///
/// # Errors
/// [`UnreadUnits::Language`] with its extension, or its name where it has none.
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
