//! Names of nodes that fit a drawing. `reading:.spec/board#draws@2026-01-01T00:01:00.000Z` becomes
//! `reading board#draws 2026-01-01 00:01:00`. Machine forms have the whole ids.

use crate::text::escape::clip;
use std::collections::{BTreeMap, BTreeSet};

/// The most characters of a path or an unknown id.
const MOST: usize = 48;
/// The digits of a shortened hash.
const DIGITS: usize = 12;

/// The names of a drawing: short, and each used once.
#[derive(Default)]
pub(super) struct ShortNames {
    /// The directories of drawn nodes by their last name. A directory that shares it with another one is written in full.
    dirs: BTreeMap<String, BTreeSet<String>>,
    taken: BTreeSet<String>,
}

impl ShortNames {
    pub(super) fn add(&mut self, id: &str) {
        if let Some((_, dir, _)) = of_a_node(id) {
            self.dirs.entry(last(dir).to_owned()).or_default().insert(dir.to_owned());
        }
    }

    /// The name of an id that has none yet. A second id with the same short name gets a number: `file .../a.rs (2)`.
    pub(super) fn name(&mut self, id: &str) -> String {
        let short = self.short(id);
        let numbered = (2..).map(|number| format!("{short} ({number})"));
        let mut names = std::iter::once(short.clone()).chain(numbered);
        names.find(|name| self.taken.insert(name.clone())).unwrap_or(short)
    }

    fn short(&self, id: &str) -> String {
        if let Some((kind, dir, rest)) = of_a_node(id) {
            let is_alone = self.dirs.get(last(dir)).is_some_and(|dirs| dirs.len() == 1);
            let dir = if is_alone { clip(last(dir), MOST).into_owned() } else { end_of(dir) };
            return match rest.rsplit_once('@').and_then(|(name, time)| Some((name, day_and_clock(time)?))) {
                Some((name, time)) => format!("{kind} {dir}{} {time}", clip(name, MOST)),
                None => format!("{kind} {dir}{}", clip(rest, MOST)),
            };
        }
        match id.split_once(':') {
            Some((kind @ ("commit" | "artifact"), hash)) if hash.len() > DIGITS && is_hex(hash) => {
                format!("{kind} {}", &hash[..DIGITS])
            }
            Some(("file", path)) => format!("file {}", end_of(path)),
            _ => clip(id, MOST).into_owned(),
        }
    }
}

/// The kind, the directory and the rest, `#NAME` or `#NAME@TIME`, of the id of a goal, scenario, reading or failure.
fn of_a_node(id: &str) -> Option<(&str, &str, &str)> {
    let (kind, named) = id.split_once(':')?;
    if !matches!(kind, "goal" | "scenario" | "reading" | "failure") {
        return None;
    }
    let at = named.find('#').unwrap_or(named.len());
    Some((kind, &named[..at], &named[at..]))
}

fn last(dir: &str) -> &str {
    dir.rsplit('/').next().unwrap_or(dir)
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `2026-01-01 00:01:00` of `2026-01-01T00:01:00.000Z`.
fn day_and_clock(time: &str) -> Option<String> {
    let (day, clock) = time.split_once('T')?;
    let clock = clock.split_once('.').map_or(clock, |(clock, _)| clock);
    let is_time = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b':'));
    (is_time(day) && is_time(clock)).then(|| format!("{day} {clock}"))
}

/// A long path by its last names.
fn end_of(path: &str) -> String {
    if path.chars().count() <= MOST {
        return path.to_owned();
    }
    let starts = path.match_indices('/').map(|(at, _)| &path[at..]);
    let end = starts.into_iter().find(|end| end.chars().count() < MOST);
    end.map_or_else(|| clip(path, MOST).into_owned(), |end| format!("...{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(ids: &[&str]) -> Vec<String> {
        let mut names = ShortNames::default();
        ids.iter().for_each(|id| names.add(id));
        ids.iter().map(|id| names.name(id)).collect()
    }

    #[test]
    fn an_id_is_shortened_by_its_kind() {
        let hash = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(
            names(&[
                "goal:.spec/a/board",
                "scenario:.spec/a/board#it draws",
                "reading:.spec/a/board#a@b@2026-01-01T00:01:02.345Z",
                "reading:.spec/a/board#a@no time",
                &format!("commit:{hash}"),
                "commit:main",
                "file:src/a.rs",
                &format!("file:{}/b/c.rs", "a".repeat(60)),
                &format!("file:{}", "a".repeat(60)),
                "é",
                "",
            ]),
            [
                "goal board",
                "scenario board#it draws",
                "reading board#a@b 2026-01-01 00:01:02",
                "reading board#a@no time",
                "commit 0123456789ab",
                "commit:main",
                "file src/a.rs",
                "file .../b/c.rs",
                &format!("file {}", clip(&"a".repeat(60), MOST)),
                "é",
                "",
            ]
        );
    }

    #[test]
    fn a_name_is_short_and_used_once() {
        let long = "D".repeat(200);
        let [one, other] = ["a", "b"].map(|end| format!("scenario:.spec/n#{}{end}", "N".repeat(60)));
        let dir = format!("goal:.spec/{long}");
        let ids = [
            "reading:.spec/n#w@2026-01-01T00:00:00.000Z",
            "reading:.spec/n#w@2026-01-01T00:00:00.100Z",
            &one,
            &other,
            &dir,
        ];
        let names = names(&ids);
        assert_eq!(names[..2], ["reading n#w 2026-01-01 00:00:00", "reading n#w 2026-01-01 00:00:00 (2)"]);
        assert_eq!(names[3], format!("{} (2)", names[2]));
        assert!(names.iter().all(|name| name.chars().count() < 80), "{names:?}");
    }

    #[test]
    fn two_directories_of_one_name_are_written_in_full() {
        assert_eq!(
            names(&["goal:.spec/a/board", "goal:.spec/b/board", "goal:.spec/c"]),
            ["goal .spec/a/board", "goal .spec/b/board", "goal c"]
        );
    }
}
