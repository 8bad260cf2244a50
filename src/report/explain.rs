//! What words mean, as `explain` says it. Machine form: `yatsu-hook/explain/v1` (schema/explain.v1.schema.json).

use crate::text::spelled::spelled;
use serde::Serialize;
use std::io::{self, Write};

spelled! {
    /// What a word can be.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MeaningKind {
        /// A word of the glossary.
        Word = "word",
        /// A rule that makes findings.
        Rule = "rule",
        /// A key of a file of this program.
        Key = "key",
        /// A file or directory of the repository, or a file of this program that is not there.
        File = "file",
        /// A text about a subject, for example the exit codes.
        Topic = "topic",
        /// A command of this program.
        Verb = "verb",
    }
}

/// One meaning of a word: a word of the glossary may be a key, too.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Meaning {
    pub(crate) kind: MeaningKind,
    pub(crate) name: String,
    /// The explanation; it ends with a line end.
    pub(crate) text: String,
}

#[derive(Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/explain/v1")]
struct ExplainJson<'a> {
    word: Option<&'a str>,
    meanings: &'a [Meaning],
}

/// The meanings of `word`; without a word those of everything that can be explained.
pub(crate) fn write_json(word: Option<&str>, meanings: &[Meaning], out: &mut dyn Write) -> io::Result<()> {
    super::write_json(&ExplainJson { word, meanings }, out)
}

/// The texts, with a blank line between two.
pub(crate) fn write_human(meanings: &[Meaning], out: &mut dyn Write) -> io::Result<()> {
    let texts: Vec<&str> = meanings.iter().map(|meaning| &*meaning.text).collect();
    out.write_all(texts.join("\n").as_bytes())
}
