//! The scenarios in a file of Gherkin, OpenSpec or spec-kit. Input: the path of the file. Never writes it.

use crate::app::judge::suggestion::nearest_path;
use crate::error::{Error, Refusal, Result};
use crate::features::imports::model::feature_file::{self, MAX_FEATURE_FILE, MAX_FOUND, UnreadFeature};
use crate::model::links::{LinkEnd, trace};
use crate::text::escape::echo;
use crate::text::found_scenario::FeatureFile;
use crate::text::shell;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};

/// The scenarios in the file at `path`, a path relative to the repository.
///
/// # Errors
/// Usage for a path without a readable file of a known kind; refused for a file with no scenario or too many.
pub(crate) fn read(view: &dyn Tree, path: &RepoPath, library: &[String]) -> Result<FeatureFile> {
    let file = file_at(view, path)?;
    if view.size(&file)?.is_none_or(|size| size > MAX_FEATURE_FILE as u64) {
        return Err(refused(path, "is larger than 256 KiB", "split the file"));
    }
    let bytes = view.read(&file)?.unwrap_or_default();
    let text = std::str::from_utf8(&bytes).map_err(|_| refused(path, "is not UTF-8", "save it as UTF-8"))?;
    feature_file::read(text, library).map_err(|why| unread(path, &why))
}

/// The file behind `path`, through symbolic links.
fn file_at(view: &dyn Tree, path: &RepoPath) -> Result<RepoPath> {
    const HINT: &str = "name one file of the work tree: --from FILE";
    match trace(view, path)?.end {
        LinkEnd::At(file, entry) if matches!(entry.kind, Kind::File | Kind::Exec) => Ok(file),
        LinkEnd::At(..) => Err(refused(path, "is no file", HINT)),
        LinkEnd::Outside | LinkEnd::Circle => {
            Err(refused(path, "leads out of the repository through a symbolic link", HINT))
        }
        LinkEnd::Absent(_) => Err(match nearest_path(view, path)? {
            Some(meant) => refused(path, "does not exist", &format!("did you mean {}?", shell::place(meant))),
            None => refused(path, "does not exist", HINT),
        }),
    }
}

fn refused(path: &RepoPath, why: &str, hint: &str) -> Error {
    Error::usage(format!("`{}` {why}", echo(&path.to_string()))).hint(hint)
}

fn unread(path: &RepoPath, why: &UnreadFeature) -> Error {
    let shown = path.to_string();
    let shown = echo(&shown);
    let split = "split the file: one node for each part";
    let invalid = |message: String, hint: &str| Error::refused(message).because(Refusal::Invalid).hint(hint);
    match why {
        UnreadFeature::UnknownKind => Error::usage(format!("`{shown}` is no file of Gherkin, OpenSpec or spec-kit"))
            .hint("it needs `Feature:`, a heading `### Requirement:`, or `**Acceptance Scenarios**`"),
        UnreadFeature::Language(name) => Error::usage(format!("`{shown}` is in the language `{}`", echo(name)))
            .hint("only the English keywords of Gherkin are read"),
        UnreadFeature::OpenDocString(line) => {
            Error::usage(format!("`{shown}`: the doc string in line {line} has no end"))
                .hint("close it with the same three characters")
        }
        UnreadFeature::OpenFence(line) => Error::usage(format!("`{shown}`: the code fence in line {line} has no end"))
            .hint("close it with the same characters, in a line of its own"),
        UnreadFeature::OpenComment(line) => {
            Error::usage(format!("`{shown}`: the comment in line {line} has no end")).hint("close it with `-->`")
        }
        UnreadFeature::Stray(line) => {
            Error::usage(format!("`{shown}`: line {line} is neither a step nor a keyword, and stands behind a step"))
                .hint(
                    "spell it as Gherkin does, for example `Scenario: pays`, or put it into a comment or a doc string",
                )
        }
        UnreadFeature::Refused(line, why) => {
            Error::usage(format!("`{shown}`: line {line}: {why}")).hint("mend the file: Gherkin refuses it, too")
        }
        UnreadFeature::TooMany(count) => {
            invalid(format!("`{shown}` has {count} scenarios; the limit is {MAX_FOUND}"), split)
        }
        UnreadFeature::TooLong => {
            invalid(format!("`{shown}`: its scenarios, each with its background, exceed 256 KiB"), split)
        }
        UnreadFeature::Empty(kind, near) => invalid(
            format!("`{shown}` has no scenario ({})", kind.as_str()),
            &match near.first() {
                Some(line) => format!("line {line} looks like one: spell it as {} does", kind.as_str()),
                None => "write one there first, or one here: yatsu-hook new NODE --code PATH".to_owned(),
            },
        ),
    }
}
