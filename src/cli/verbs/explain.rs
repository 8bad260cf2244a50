//! `explain`: the meaning of a rule, a key, a file, a topic or a word of the glossary.

use crate::app::query::explain as explaining;
use crate::app::query::explain::Key;
use crate::app::query::settings::default_of;
use crate::cli::Exit;
use crate::cli::args::{command, verb_names};
use crate::cli::call::Call;
use crate::error::{Error, Result};
use crate::finding::RuleId;
use crate::names::CONFIG_FILE;
use crate::report::explain::{Meaning, MeaningKind, write_human, write_json};
use crate::rules;
use crate::text::escape::{echo, terminal};
use crate::text::nearest::nearest;
use std::path::Path;

/// Prints the meaning of the typed words, for example of `run log`. A word of the glossary always has its row; it may be a
/// rule, a key or a file as well. `./x` is always a file. Without a word it prints every rule's summary, and the names of
/// everything else.
pub(super) fn explain(call: Call<'_>, words: &[String]) -> Result<Exit> {
    let word = words.join(" ");
    match (word.as_str(), call.is_machine()) {
        ("", true) => call.answer(|out| write_json(None, &everything(), out)),
        ("", false) => call.answer(|out| out.write_all((summaries() + &others()).as_bytes())),
        (word, is_machine) => {
            let meanings = meanings(call, word)?;
            call.answer(|out| match is_machine {
                true => write_json(Some(word), &meanings, out),
                false => write_human(&meanings, out),
            })
        }
    }
}

/// The meanings of a word; never empty. The row of the glossary comes first, then the first that exists: a rule, its keys, a
/// file of the repository. Only a word that is none of these can be a topic, a file of this program, the end of a key. A verb
/// has the last place.
fn meanings(call: Call<'_>, word: &str) -> Result<Vec<Meaning>> {
    if word.starts_with("./") {
        return Ok(vec![file(call, word)?.ok_or_else(|| unknown(word))?]);
    }
    let mut found: Vec<Meaning> =
        explaining::word(word).map(|text| one(MeaningKind::Word, word, text)).into_iter().collect();
    if let Some(rule) = RuleId::parse(word) {
        found.push(one(MeaningKind::Rule, word, of_rule(rule)));
        return Ok(found);
    }
    let keys = explaining::key(word);
    if !keys.is_empty() {
        found.extend(keys.iter().map(of_key));
        found.extend(of_verb(word));
        return Ok(found);
    }
    let unread = match file(call, word) {
        Ok(file) => {
            found.extend(file);
            None
        }
        // outside of a repository there are no files, but there are topics
        Err(error) => call.repo().is_ok().then_some(error),
    };
    // `log` is a word and a verb
    if !found.is_empty() {
        found.extend(of_verb(word));
    } else {
        let meant = of_topic(word).or_else(|| of_verb(word));
        found.push(meant.ok_or_else(|| unread.unwrap_or_else(|| unknown(word)))?);
    }
    Ok(found)
}

fn one(kind: MeaningKind, name: &str, text: String) -> Meaning {
    Meaning { kind, name: name.to_owned(), text }
}

/// Everything that can be explained beside the files of the repository, each with its text or one sentence.
fn everything() -> Vec<Meaning> {
    let rules = RuleId::ALL
        .iter()
        .map(|rule| one(MeaningKind::Rule, rule.as_str(), format!("{}\n", rules::explain(*rule).summary)));
    let words = explaining::word_names().filter_map(|name| Some(one(MeaningKind::Word, name, explaining::word(name)?)));
    let topics = explaining::topic_names().into_iter();
    let topics = topics.filter_map(|name| Some(one(MeaningKind::Topic, name, explaining::topic(name)?.to_owned())));
    let keys = explaining::key_names().into_iter().flat_map(explaining::key).map(|key| of_key(&key));
    let command = command();
    let verbs = command.get_subcommands().map(|verb| {
        let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
        one(MeaningKind::Verb, verb.get_name(), format!("{about}\n"))
    });
    rules.chain(words).chain(topics).chain(keys).chain(verbs).collect()
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

fn of_key(key: &Key) -> Meaning {
    let default = match key.place {
        CONFIG_FILE => format!(" Default: {}.", default_of(key.name)),
        _ => String::new(),
    };
    one(MeaningKind::Key, key.name, format!("{} in {}: {}{default}\n", key.name, key.place, key.text))
}

fn of_verb(word: &str) -> Option<Meaning> {
    let mut command = command();
    command.build();
    let verb = command.find_subcommand_mut(word)?;
    let text = format!("{} is a verb: {}", verb.get_name().to_owned(), verb.render_help());
    Some(one(MeaningKind::Verb, word, text))
}

/// A topic, a file of this program that is not here, or a key by its last level.
fn of_topic(word: &str) -> Option<Meaning> {
    let topic = explaining::topic(word).map(|text| one(MeaningKind::Topic, word, text.to_owned()));
    let topic = topic.or_else(|| Some(one(MeaningKind::File, word, explaining::our_file(word)?)));
    let key = || explaining::key_that_ends(word).or_else(|| explaining::key_above(word));
    topic.or_else(|| key().as_ref().map(of_key))
}

/// The explanation of the file `word`, relative to the call's directory; `None` if there is none.
fn file(call: Call<'_>, word: &str) -> Result<Option<Meaning>> {
    let repo = call.repo()?;
    let Ok(path) = call.in_repository(&repo, Path::new(word)) else { return Ok(None) };
    let lines = explaining::explain_file(&repo, &path)?;
    let text = |lines: Vec<String>| lines.iter().map(|line| format!("{}\n", terminal(line))).collect();
    Ok(lines.map(|lines| one(MeaningKind::File, word, text(lines))))
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
