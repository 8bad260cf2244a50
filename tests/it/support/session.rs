//! What a user sees of commands, as text for a snapshot.

use super::{Said, Scratch, executable, found, hermetic, program, search_path};
use jiff::{SignedDuration, Timestamp};
use std::path::Path;

/// A version of git that runs hooks of files alone. A newer one has them in its configuration, too, and `install` prefers
/// that.
pub const BEFORE_CONFIGURED_HOOKS: &str = "2.53.0";

/// Puts a git into `bin` that reports another version, and otherwise calls the real one.
pub fn pretend_git(bin: &Path, version: &str) {
    let text = format!(
        "#!/bin/sh\nfor word; do [ \"$word\" != version ] || {{ echo 'git version {version}'; exit; }}; done\n\
         exec '{}' \"$@\"\n",
        found("git").display()
    );
    executable(&bin.join("git"), &text);
}

impl Scratch {
    /// Runs these commands of a shell, one a line, in the work tree. Returns them with all that they print and their exit
    /// codes. What differs from run to run has a name: `SCRATCH` is the directory of the test, `PROGRAM` the program,
    /// `TIME` a time of today, `SECONDS ago` less than two minutes, `ID` an object id, a hash or a token.
    pub fn session(&self, commands: &str) -> String {
        let home = program();
        let own = home.parent().into_iter().map(ToOwned::to_owned).chain([self.base.join("bin")]);
        let path = std::env::join_paths(own.chain(std::env::split_paths(search_path()))).expect("a path");
        let mut text = String::new();
        for command in commands.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let mut shell = hermetic("sh", &self.home());
            // git's configuration names the user
            shell.env_remove("GIT_AUTHOR_NAME").env("PATH", &path).current_dir(&self.root).args(["-c", command]);
            let said = Said::of(shell.output().expect("a shell"));
            let err = if said.err.is_empty() { String::new() } else { format!("[stderr]\n{}", said.err) };
            text += &format!("$ {command}\n{}{err}[exit {}]\n", said.out, said.code);
        }
        let text = text.replace(&program().display().to_string(), "PROGRAM");
        let text = without_mounts(&text);
        let text = (0..120).fold(text, |text, n| text.replace(&format!(" {n}s ago"), " SECONDS ago"));
        unvaried(&text.replace(&self.base.display().to_string(), "SCRATCH"))
    }
}

/// The text with one wording of git for a search that finds no repository, wherever the scratch directory is mounted.
fn without_mounts(text: &str) -> String {
    let line = |line: &str| match line.split_once("(or any parent up to mount point") {
        Some((before, _)) => format!("{before}(or any of the parent directories): .git\n"),
        None => line.to_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

/// The text with `TIME` and `ID`.
fn unvaried(text: &str) -> String {
    let (now, day) = (Timestamp::now(), SignedDuration::from_hours(24));
    let today = |word: &str| word.parse::<Timestamp>().is_ok_and(|time| now.duration_since(time).abs() < day);
    let id = |word: &str| matches!(word.len(), 12 | 32 | 40 | 64) && word.bytes().all(|b| b.is_ascii_hexdigit());
    let text =
        renamed(text, "-:.", |word| if is_segment(word) { Some(SEGMENT) } else { today(word).then_some("TIME") });
    renamed(&text, "", |word| id(word).then_some("ID"))
}

/// The name of a segment in texts that are compared: the real one has a time and random digits.
pub const SEGMENT: &str = "yatsu.NAME.evals.ndjson";

/// Whether this is the name of a segment that the program drew.
pub fn is_segment(word: &str) -> bool {
    let name = word.strip_prefix("yatsu.").and_then(|word| word.strip_suffix(".evals.ndjson"));
    name.is_some_and(|name| name.len() == 22 && name.starts_with("20"))
}

/// The text with other names for some words. A word is made of letters, digits and these marks; it ends without a mark.
pub fn renamed(text: &str, marks: &str, name: impl Fn(&str) -> Option<&'static str>) -> String {
    let inside = |c: char| c.is_ascii_alphanumeric() || marks.contains(c);
    let piece = |piece: &str| {
        let word = piece.trim_end_matches(|c| !inside(c)).trim_end_matches(|c| marks.contains(c));
        name(word).map_or_else(|| piece.to_owned(), |name| name.to_owned() + &piece[word.len()..])
    };
    text.split_inclusive(|c| !inside(c)).map(piece).collect()
}
