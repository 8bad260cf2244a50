//! `explain`: what a rule, a key, a file or a topic means.

use crate::app::query::explain as explaining;
use crate::app::query::explain::Key;
use crate::cli::call::Call;
use crate::cli::{Exit, stdio};
use crate::error::{Error, Result};
use crate::finding::RuleId;
use crate::rules;
use crate::text::escape::{echo, terminal};
use crate::text::nearest::nearest;
use std::path::Path;

/// Prints what `word` means: a rule, else a key, else a file, else a topic; `./x` is always a file. Without one every rule's
/// summary.
pub(super) fn explain(call: Call<'_>, word: Option<&str>) -> Result<Exit> {
    let text = match word {
        None => summaries(),
        Some(word) if word.starts_with("./") => file(call, word)?.ok_or_else(|| unknown(word))?,
        Some(word) => match RuleId::parse(word) {
            Some(rule) => of_rule(rule),
            None => of_other(call, word)?,
        },
    };
    stdio::print(text.as_bytes()).map(|()| Exit::CLEAN)
}

fn summaries() -> String {
    RuleId::ALL.map(|rule| format!("{:<18} {}\n", rule.as_str(), rules::explain(rule).summary)).concat()
}

fn of_rule(rule: RuleId) -> String {
    let text = rules::explain(rule);
    format!("{}: {}\n\nWhy: {}\n\nTo mend: {}\n", rule.as_str(), text.summary, text.why, text.mend)
}

fn of_other(call: Call<'_>, word: &str) -> Result<String> {
    let keys = explaining::key(word);
    if !keys.is_empty() {
        let line = |key: &Key| format!("{} in {}: {}\n", key.name, key.place, key.text);
        return Ok(keys.iter().map(line).collect());
    }
    // outside of a repository there are no files to ask about, and topics are still there
    match file(call, word) {
        Ok(Some(text)) => Ok(text),
        Ok(None) => explaining::topic(word).map(str::to_owned).ok_or_else(|| unknown(word)),
        Err(error) => explaining::topic(word).map(str::to_owned).ok_or_else(|| match call.repo() {
            Ok(_) => error,
            Err(_) => unknown(word),
        }),
    }
}

/// What is said of the file that `word` names from where one stands; `None` where nothing is.
fn file(call: Call<'_>, word: &str) -> Result<Option<String>> {
    let repo = call.repo()?;
    let Ok(path) = call.in_repository(&repo, Path::new(word)) else { return Ok(None) };
    let lines = explaining::explain_file(&repo, &path)?;
    Ok(lines.map(|lines| lines.iter().map(|line| format!("{}\n", terminal(line))).collect()))
}

fn unknown(word: &str) -> Error {
    let error = Error::usage(format!("`{}` is no rule, no key, no file here and no topic", echo(word)));
    let keys = explaining::key_names();
    let known = RuleId::ALL.iter().map(|rule| rule.as_str()).chain(keys).chain(explaining::topic_names());
    match nearest(word, known) {
        Some(meant) => error.hint(format!("did you mean {meant}?")),
        None => error.hint("`yatsu-hook explain` lists the rules"),
    }
}
