//! Completion while a user types. `YATSU_COMPLETE=SHELL` alone prints the script that the shell sources. With `--` and the
//! words typed so far, it prints the possible next words, one per line.
//!
//! In doubt it prints nothing and exits with 0: outside of a repository, after 100 ms (longer with
//! `YATSU_PATIENCE`, for a slow disk or a loaded machine), or for an unknown shell. Names with control characters are left
//! out, and all others are quoted for the shell. clap_complete's own engine does not quote for bash, so a scenario's name could
//! run as a command.

mod scripts;
mod words;

use super::{Exit, stdio};
use crate::app::query::offered::offered;
use crate::repo::Repo;
use crate::repo::open::env::Env;
use crate::sys;
use crate::text::escape::terminal;
use crate::text::shell;
pub(super) use scripts::script;
use std::ffi::{OsStr, OsString};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;
use words::Wanted;

/// The variable that asks for completion.
pub(super) const VARIABLE: &str = "YATSU_COMPLETE";
/// The variable with the index of the word being typed; the last word if it is not set.
const INDEX: &str = "_YATSU_COMPLETE_INDEX";
/// How long to wait for the repository: a user waits at every key.
const PATIENCE: Duration = Duration::from_millis(100);

/// Whether the variable and these arguments ask for completion. No hook is called with such arguments, so a variable left in
/// the environment cannot switch the gate off.
pub(super) fn is_asked(args: &[OsString]) -> bool {
    let is_set = std::env::var_os(VARIABLE).is_some_and(|shell| !shell.is_empty());
    is_set && args.first().is_none_or(|first| first == "--")
}

/// Prints the script, or the possible next words.
pub(super) fn complete(args: &[OsString]) -> Exit {
    let shell = std::env::var(VARIABLE).unwrap_or_default();
    let text = match args.split_first() {
        None => script(&shell).unwrap_or_default(),
        Some((_, typed)) => {
            let index = std::env::var(INDEX).ok().and_then(|index| index.parse().ok());
            next(&shell, typed, index).unwrap_or_default()
        }
    };
    // no reader sees an error here, and a shell with half a list gets a new one at the next key
    let _ = stdio::print(text.as_bytes());
    Exit::CLEAN
}

/// The words that may stand at `index` of `typed`, one per line; `None` if they are not known.
fn next(shell: &str, typed: &[OsString], index: Option<usize>) -> Option<String> {
    let typed: Vec<&str> = typed.iter().map(|word| word.to_str()).collect::<Option<_>>()?;
    let (before, current) = words::split(&typed, index)?;
    // the shell would quote an already quoted word again
    if current.contains(['\'', '"', '\\', '$', '`']) {
        return None;
    }
    let wanted = words::wanted(&before, &current)?;
    let names = match wanted.names {
        Wanted::Words(names) => names,
        Wanted::Offered(kind) => {
            let names = answered(sys::time_limit(PATIENCE), move || {
                let here = std::env::current_dir().ok()?;
                let repo = Repo::open(&Env::from_process(), &here).ok()?;
                offered(&repo, &kind).ok()
            })?;
            names.into_iter().collect()
        }
    };
    let names = names.into_iter().filter(|name| name.starts_with(&*wanted.typed) && terminal(name) == *name);
    Some(names.map(|name| format!("{}{}\n", wanted.flag, quoted(shell, &name))).collect())
}

/// The result of `ask`, or `None` after `patience`. A late `ask` is not stopped; it ends with the process.
fn answered<T: Send + 'static>(patience: Duration, ask: impl FnOnce() -> Option<T> + Send + 'static) -> Option<T> {
    let (tell, told) = channel();
    thread::spawn(move || tell.send(ask()));
    told.recv_timeout(patience).ok().flatten()
}

/// The name as this shell takes it from a list. zsh and fish quote the chosen name themselves; bash does not.
fn quoted(shell: &str, name: &str) -> String {
    if is_bash(shell) { shell::word(name) } else { name.to_owned() }
}

/// Whether the shell is bash, given by name or path.
fn is_bash(shell: &str) -> bool {
    OsStr::new(shell).to_str().is_some_and(|shell| shell.rsplit('/').next() == Some("bash"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_longer_than_anybody_waits_is_not_waited_for() {
        let (open, gate) = channel::<()>();
        let late = move || gate.recv().ok().map(|()| vec!["board"]);
        assert_eq!(answered(Duration::ZERO, late), None, "who asks goes on, although nobody answered");
        drop(open);
        assert_eq!(answered(Duration::MAX, || Some("board")), Some("board"));
        assert_eq!(answered(Duration::MAX, || None::<&str>), None, "nothing to offer is said at once");
    }
}
