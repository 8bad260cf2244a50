//! Completion of a command line. Input: the words before the cursor and the beginning of the current one. Output: the
//! words that fit. Knows the command line, not the repository.

use crate::app::query::explain;
use crate::app::query::offered::OfferKind;
use crate::cli::args::{command, verb_names};
use crate::finding::RuleId;
use clap::{Arg, Command};

/// The names that fit at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Words that are known without a repository.
    Words(Vec<String>),
    /// Names from the repository.
    Offered(OfferKind),
}

/// The names that may come next, and the typed beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WantedHere {
    pub(super) names: Wanted,
    /// The beginning of the name.
    pub(super) typed: String,
    /// The part of the word before the name, for example `--scenario=`.
    pub(super) flag: String,
}

/// The words before the current one, without the program's name, and the beginning of the current one. bash splits
/// `--flag=value` at `=`; then only the value is the current word.
pub(super) fn split(typed: &[&str], index: Option<usize>) -> Option<(Vec<String>, String)> {
    let index = index.unwrap_or_else(|| typed.len().saturating_sub(1));
    let mut before: Vec<String> = typed.get(1..index.max(1))?.iter().map(ToString::to_string).collect();
    let mut current = typed.get(index).copied().unwrap_or_default().to_owned();
    if current == "=" {
        current.clear();
    } else if before.last().is_some_and(|word| word == "=") {
        before.pop();
    }
    before.retain(|word| word != "=");
    Some((before, current))
}

/// The names that may follow `before` and complete `current`.
pub(super) fn wanted(before: &[String], current: &str) -> Option<WantedHere> {
    let mut root = command();
    root.build();
    let place = Place::after(&root, before)?;
    if let Some(arg) = place.open {
        return Some(WantedHere { names: value(arg, &place)?, typed: current.to_owned(), flag: String::new() });
    }
    if let Some((name, typed)) = current.strip_prefix("--").and_then(|flag| flag.split_once('=')) {
        let arg = place.verb.get_arguments().find(|arg| arg.get_long() == Some(name))?;
        let flag = format!("--{name}=");
        return Some(WantedHere { names: value(arg, &place)?, typed: typed.to_owned(), flag });
    }
    let names = if current.starts_with('-') {
        let shown = place.verb.get_arguments().filter(|arg| !arg.is_hide_set());
        Wanted::Words(shown.filter_map(Arg::get_long).map(|long| format!("--{long}")).collect())
    } else if place.verb.has_subcommands() {
        Wanted::Words(place.verb.get_subcommands().map(|verb| verb.get_name().to_owned()).collect())
    } else {
        let places: Vec<&Arg> = place.verb.get_positionals().collect();
        let arg = places.get(place.words.len()).or_else(|| places.last().filter(|last| takes_many(last)))?;
        let by_path = |kind| match kind {
            Wanted::Offered(OfferKind::Nodes { .. }) => {
                Wanted::Offered(OfferKind::Nodes { by_directory: current.starts_with('.') || current.contains('/') })
            }
            kind => kind,
        };
        by_path(value(arg, &place)?)
    };
    Some(WantedHere { names, typed: current.to_owned(), flag: String::new() })
}

/// The place on the command line after some words.
struct Place<'c> {
    verb: &'c Command,
    /// The positional words of the verb.
    words: Vec<String>,
    /// The flag that still needs its value.
    open: Option<&'c Arg>,
}

impl<'c> Place<'c> {
    fn after(root: &'c Command, before: &[String]) -> Option<Self> {
        let mut place = Self { verb: root, words: Vec::new(), open: None };
        for word in before {
            place.step(word)?;
        }
        Some(place)
    }

    fn step(&mut self, word: &str) -> Option<()> {
        if self.open.take().is_some() {
            return Some(());
        }
        if let Some(flag) = word.strip_prefix("--").filter(|flag| !flag.is_empty()) {
            let (name, has_value) = flag.split_once('=').map_or((flag, false), |(name, _)| (name, true));
            let arg = self.verb.get_arguments().find(|arg| arg.get_long() == Some(name));
            self.open = arg.filter(|arg| !has_value && arg.get_action().takes_values());
        } else if let Some(short) = word.strip_prefix('-').filter(|short| !short.is_empty()) {
            let last = short.chars().last();
            let arg = self.verb.get_arguments().find(|arg| arg.get_short().is_some() && arg.get_short() == last);
            self.open = arg.filter(|arg| short.len() == 1 && arg.get_action().takes_values());
        } else if self.verb.has_subcommands() && self.words.is_empty() {
            self.verb = self.verb.find_subcommand(word)?;
        } else {
            self.words.push(word.to_owned());
        }
        Some(())
    }
}

fn takes_many(arg: &Arg) -> bool {
    arg.get_num_args().is_some_and(|range| range.max_values() > 1)
}

/// The values that an argument takes, found by the placeholder in its help, for example `NODE`.
fn value(arg: &Arg, place: &Place<'_>) -> Option<Wanted> {
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        return Some(Wanted::Words(possible.iter().map(|value| value.get_name().to_owned()).collect()));
    }
    let name = arg.get_value_names()?.first()?.as_str();
    let kind = match (name, arg.get_long()) {
        // a new node does not exist yet
        ("NODE", _) if place.verb.get_name() == "new" => return None,
        ("NODE" | "TOKEN|NODE", _) => OfferKind::Nodes { by_directory: false },
        ("NAME", Some("scenario")) => OfferKind::Scenarios { node: place.words.first().cloned() },
        ("TAG", _) => OfferKind::Tags,
        ("ID", Some("run")) => OfferKind::Runs,
        ("BRANCH" | "REV" | "REF" | "BASE" | "A" | "B", _) => OfferKind::Branches,
        ("WORD", _) => {
            let rules = RuleId::ALL.iter().map(|rule| rule.as_str());
            let all = rules.chain(explain::key_names()).chain(explain::topic_names()).chain(explain::word_names());
            return Some(Wanted::Words(all.map(str::to_owned).chain(verb_names()).collect()));
        }
        _ => return None,
    };
    Some(Wanted::Offered(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: &str) -> Option<(Wanted, String)> {
        let typed: Vec<&str> = line.split(' ').collect();
        let (before, current) = split(&typed, None)?;
        wanted(&before, &current).map(|here| (here.names, here.flag + &here.typed))
    }

    fn offered(line: &str) -> Option<OfferKind> {
        match at(line)?.0 {
            Wanted::Offered(kind) => Some(kind),
            Wanted::Words(_) => None,
        }
    }

    #[test]
    fn what_is_typed_tells_what_may_stand_there() {
        let scenarios = |node: &str| Some(OfferKind::Scenarios { node: Some(node.into()) });
        let nodes = |by_directory| Some(OfferKind::Nodes { by_directory });
        assert_eq!(offered("yatsu-hook eval b"), nodes(false));
        assert_eq!(offered("yatsu-hook -C x eval .spec/b"), nodes(true));
        assert_eq!(offered("yatsu-hook eval board --scenario "), scenarios("board"));
        assert_eq!(offered("yatsu-hook eval board --scenario = re"), scenarios("board"), "as bash takes it apart");
        assert_eq!(at("yatsu-hook eval board --scenario=re").unwrap().1, "--scenario=re");
        assert_eq!(offered("yatsu-hook claim take board --scenario "), scenarios("board"));
        assert_eq!(offered("yatsu-hook ls --tag "), Some(OfferKind::Tags));
        assert_eq!(offered("yatsu-hook usage --run "), Some(OfferKind::Runs));
        assert_eq!(offered("yatsu-hook patch show "), Some(OfferKind::Branches));
        assert_eq!(offered("yatsu-hook next a "), nodes(false), "several nodes");
        for line in ["yatsu-hook show board more", "yatsu-hook new b", "yatsu-hook eval b --note ", "yatsu-hook nope x"]
        {
            assert_eq!(offered(line), None, "{line}");
        }
    }

    #[test]
    fn verbs_flags_and_words_are_known_without_a_repository() {
        let words = |line: &str| match at(line).map(|(wanted, _)| wanted) {
            Some(Wanted::Words(words)) => words,
            other => panic!("{line}: {other:?}"),
        };
        assert!(words("yatsu-hook ").contains(&"eval".to_owned()));
        assert!(words("yatsu-hook claim ").contains(&"take".to_owned()));
        assert!(words("yatsu-hook eval --").contains(&"--scenario".to_owned()));
        assert!(words("yatsu-hook explain ").contains(&"exit-codes".to_owned()));
        assert!(words("yatsu-hook explain sta").contains(&"stale".to_owned()));
        assert!(words("yatsu-hook explain re").contains(&"retract".to_owned()));
        assert!(words("yatsu-hook scan --format ").contains(&"json".to_owned()));
    }
}
