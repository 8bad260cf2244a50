//! `explain`: the meaning of a rule, a key, a file or a topic.

use crate::app::query::explain as explaining;
use crate::app::query::explain::Key;
use crate::app::query::settings::default_of;
use crate::cli::args::{command, verb_names};
use crate::cli::call::Call;
use crate::cli::{Exit, stdio};
use crate::error::{Error, Result};
use crate::finding::RuleId;
use crate::names::CONFIG_FILE;
use crate::rules;
use crate::text::escape::{echo, terminal};
use crate::text::nearest::nearest;
use std::path::Path;

/// Prints the meaning of `word`. Tried in this order: a rule, a key, a file, a topic (also a glossary word or the name of a
/// file of this program), a verb. `./x` is always a file. Without a word it prints every rule's summary, and the names of
/// everything else.
pub(super) fn explain(call: Call<'_>, word: Option<&str>) -> Result<Exit> {
    let text = match word {
        None => summaries() + &others(),
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

/// The names of everything that can be explained beside rules.
fn others() -> String {
    let mut text = "\nBeside rules it explains\n".to_owned();
    let mut line = |what: &str, names: Vec<&str>| {
        let names = wrapped(&names.join(", "));
        text += &format!("\n{what}:\n{names}");
    };
    line("topics", explaining::topic_names().to_vec());
    line("words", explaining::word_names().collect());
    line("verbs", verb_names().iter().map(String::as_str).collect());
    for (place, names) in explaining::keys_by_place() {
        line(&format!("keys of {place}"), names);
    }
    text + "\nand any file: which node it belongs to, and which scenarios govern it.\n"
}

/// The text in lines of at most 80 columns, indented.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::from("   ")];
    for part in text.split(' ') {
        if lines.last().is_some_and(|line| line.len() + 1 + part.len() > 80) {
            lines.push("   ".to_owned());
        }
        let last = lines.len() - 1;
        lines[last] += &format!(" {part}");
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn of_rule(rule: RuleId) -> String {
    let text = rules::explain(rule);
    format!("{}: {}\n\nWhy: {}\n\nTo mend: {}\n", rule.as_str(), text.summary, text.why, text.mend)
}

fn of_other(call: Call<'_>, word: &str) -> Result<String> {
    let keys = explaining::key(word);
    if !keys.is_empty() {
        return Ok(keys.iter().map(key_line).collect());
    }
    // outside of a repository there are no files, but there are topics
    match file(call, word) {
        Ok(Some(text)) => Ok(text),
        Ok(None) => of_topic(word).or_else(|| of_verb(word)).ok_or_else(|| unknown(word)),
        Err(error) => of_topic(word).or_else(|| of_verb(word)).ok_or_else(|| match call.repo() {
            Ok(_) => error,
            Err(_) => unknown(word),
        }),
    }
}

fn key_line(key: &Key) -> String {
    let default = match key.place {
        CONFIG_FILE => format!(" Default: {}.", default_of(key.name)),
        _ => String::new(),
    };
    format!("{} in {}: {}{default}\n", key.name, key.place, key.text)
}

fn of_verb(word: &str) -> Option<String> {
    let mut command = command();
    command.build();
    let verb = command.find_subcommand_mut(word)?;
    Some(format!("{} is a verb: {}", verb.get_name().to_owned(), verb.render_help()))
}

/// A topic, a word of the glossary, a file of this program that is not here, or a key by its last level.
fn of_topic(word: &str) -> Option<String> {
    let topic = explaining::topic(word).map(str::to_owned);
    let topic = topic.or_else(|| explaining::word(word)).or_else(|| explaining::our_file(word));
    let key = || explaining::key_that_ends(word).or_else(|| explaining::key_above(word));
    topic.or_else(|| key().as_ref().map(key_line))
}

/// The explanation of the file `word`, relative to the call's directory; `None` if there is none.
fn file(call: Call<'_>, word: &str) -> Result<Option<String>> {
    let repo = call.repo()?;
    let Ok(path) = call.in_repository(&repo, Path::new(word)) else { return Ok(None) };
    let lines = explaining::explain_file(&repo, &path)?;
    Ok(lines.map(|lines| lines.iter().map(|line| format!("{}\n", terminal(line))).collect()))
}

fn unknown(word: &str) -> Error {
    let error = Error::usage(format!("`{}` is no rule, no key, no file here, no topic and no verb", echo(word)));
    let (verbs, keys) = (verb_names(), explaining::key_names());
    let topics = explaining::topic_names().into_iter().chain(explaining::word_names());
    let rules = RuleId::ALL.iter().map(|rule| rule.as_str());
    let mut known: Vec<&str> = rules.chain(keys).chain(topics).collect();
    known.extend(verbs.iter().map(String::as_str));
    match nearest(word, known) {
        Some(meant) => error.hint(format!("did you mean {meant}?")),
        None => error,
    }
    .hint("`yatsu-hook explain` lists everything that can be explained")
}
