//! The pictures of a comment: in words, or as files that are attached to it.

use crate::features::page::model::range_review::{Picture, PicturePair, RangeReview};
use crate::finding::{NodeRef, json};
use crate::report::markdown::code;
use crate::report::receipt::amount;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many digits of a hash name a file.
const SHORT: usize = 12;

/// A picture to attach. Its file name is of this program's alphabet alone: `gh` takes what follows a `#` for another text.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Attachment {
    pub(super) file: String,
    pub(super) hash: String,
    size: u64,
    role: &'static str,
    #[serde(flatten, serialize_with = "json::id_and_path")]
    node: NodeRef,
    scenario: String,
    /// The text in place of the picture.
    alt: &'static str,
    /// The command that writes the file.
    get: [String; 6],
}

/// A row of a comment: Markdown, and the pictures in it.
#[derive(Default)]
pub(super) struct CommentRow {
    pub(super) text: String,
    pub(super) attachments: Vec<Attachment>,
}

impl From<String> for CommentRow {
    fn from(text: String) -> Self {
        Self { text, attachments: Vec::new() }
    }
}

/// The pictures of each measured scenario, in the order of the rows; `subject` names a scenario.
pub(super) fn pairs(
    review: &RangeReview,
    shows: bool,
    subject: impl Fn(&NodeRef, &str, &str) -> String,
) -> Vec<CommentRow> {
    let mut names = FileNames::default();
    let paired = review.rows.iter().filter_map(|row| Some((row, row.pictures.as_ref()?)));
    let shown = paired.map(|(row, pair)| {
        let subject = subject(&row.node, &row.scenario, &row.article);
        let mut attachments = Vec::new();
        let mut attach = |picture: &Picture, role: &'static str| {
            let (extension, size) = picture.extension.zip(picture.size).filter(|_| shows)?;
            let file = names.name(&picture.hash, extension);
            let get = ["yatsu-hook", "evidence", "get", &picture.hash, "-o", &file].map(str::to_owned);
            let (hash, node, scenario) = (picture.hash.clone(), row.node.clone(), row.scenario.clone());
            attachments.push(Attachment { file: file.clone(), hash, size, role, node, scenario, alt: role, get });
            Some(file)
        };
        let text = match table(pair, &mut attach) {
            Some(table) => format!("\n{subject}\n\n{table}"),
            // between tables a paragraph, else a list
            None if shows => format!("\n{subject}: {}\n", words(pair)),
            None => format!("- {subject}: {}\n", words(pair)),
        };
        CommentRow { text, attachments }
    });
    shown.collect()
}

/// The pictures side by side; `None` if the later one cannot be shown. The same picture twice is one.
fn table(pair: &PicturePair, attach: &mut dyn FnMut(&Picture, &'static str) -> Option<String>) -> Option<String> {
    let same = pair.before.as_ref().is_some_and(|before| before.hash == pair.after.hash);
    let image = |alt: &str, file: &str| format!("![{alt}](./{file})");
    let after = image("after", &attach(&pair.after, "after")?);
    Some(match &pair.before {
        Some(_) if same => format!("| same picture |\n|---|\n| {after} |\n"),
        Some(before) => {
            let shown = attach(before, "before").map(|file| image("before", &file));
            let before = shown.unwrap_or_else(|| named(before));
            format!("| before | after |\n|---|---|\n| {before} | {after} |\n")
        }
        None => format!("| after |\n|---|\n| {after} |\n"),
    })
}

/// For example ``before `1a2b3c4d5e6f` (12.0 kB) · after `6f5e4d3c2b1a` (13.1 kB)``.
fn words(pair: &PicturePair) -> String {
    match &pair.before {
        Some(before) if before.hash == pair.after.hash => format!("same picture {}", named(before)),
        Some(before) => format!("before {} · after {}", named(before), named(&pair.after)),
        None => format!("after {}", named(&pair.after)),
    }
}

fn named(picture: &Picture) -> String {
    let size = picture.size.map_or_else(|| "not in this clone".to_owned(), amount);
    format!("{} ({size})", code(&picture.hash[..SHORT]))
}

/// The names of files. Hashes are chosen by their pictures, so two may begin alike: the second gets its whole hash.
#[derive(Default)]
struct FileNames(BTreeMap<String, String>);

impl FileNames {
    fn name(&mut self, hash: &str, extension: &str) -> String {
        let first = self.0.entry(hash[..SHORT].to_owned()).or_insert_with(|| hash.to_owned());
        let digits = if first == hash { &hash[..SHORT] } else { hash };
        format!("yatsu-{digits}.{extension}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_hashes_that_begin_alike_name_two_files() {
        let (one, other) =
            (format!("{}{}", "a".repeat(12), "1".repeat(52)), format!("{}{}", "a".repeat(12), "2".repeat(52)));
        let mut names = FileNames::default();
        let named = [&one, &other, &one].map(|hash| names.name(hash, "png"));
        assert_eq!(
            named,
            ["yatsu-aaaaaaaaaaaa.png".to_owned(), format!("yatsu-{other}.png"), "yatsu-aaaaaaaaaaaa.png".into()]
        );
    }
}
