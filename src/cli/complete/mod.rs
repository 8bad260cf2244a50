//! Completion while somebody types: `YATSU_COMPLETE=SHELL` in the environment, and either nothing else (the script that
//! makes the shell ask) or `--` and the words typed so far (what may come next, a line each).
//!
//! Silent in doubt: outside of a repository, after 100 ms, for a shell that nobody knows it says nothing and ends with 0. A name
//! that a terminal would obey is not offered, and every other one is quoted for the shell that gets it: clap_complete's
//! own engine hands names to bash as they are, which would run what a scenario is called.

mod scripts;
mod words;

use super::{Exit, stdio};
use crate::app::query::offered::offered;
use crate::repo::Repo;
use crate::repo::open::env::Env;
use crate::text::escape::terminal;
use crate::text::shell;
pub(super) use scripts::script;
use std::ffi::{OsStr, OsString};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;
use words::Wanted;

/// The variable that asks for it.
pub(super) const VARIABLE: &str = "YATSU_COMPLETE";
/// The variable that tells which word is being typed; without it the last.
const INDEX: &str = "_YATSU_COMPLETE_INDEX";
/// How long the repository is asked.
const PATIENCE: Duration = Duration::from_millis(100);

/// Whether these arguments, beside the variable, ask for completion. No hook is ever called so: a variable that somebody
/// left in the environment must not switch the gate off.
pub(super) fn is_asked(args: &[OsString]) -> bool {
    let is_set = std::env::var_os(VARIABLE).is_some_and(|shell| !shell.is_empty());
    is_set && args.first().is_none_or(|first| first == "--")
}

/// Prints the script, or what may come next.
pub(super) fn complete(args: &[OsString]) -> Exit {
    let shell = std::env::var(VARIABLE).unwrap_or_default();
    let text = match args.split_first() {
        None => script(&shell).unwrap_or_default(),
        Some((_, typed)) => {
            let index = std::env::var(INDEX).ok().and_then(|index| index.parse().ok());
            next(&shell, typed, index).unwrap_or_default()
        }
    };
    // nobody reads an error here, and a shell that gets half a list gets none next time
    let _ = stdio::print(text.as_bytes());
    Exit::CLEAN
}

/// What may stand at `index` of `typed`, a line each; nothing where nobody knows.
fn next(shell: &str, typed: &[OsString], index: Option<usize>) -> Option<String> {
    let typed: Vec<&str> = typed.iter().map(|word| word.to_str()).collect::<Option<_>>()?;
    let (before, current) = words::split(&typed, index)?;
    // what is quoted already the shell would quote once more
    if current.contains(['\'', '"', '\\', '$', '`']) {
        return None;
    }
    let wanted = words::wanted(&before, &current)?;
    let names = match wanted.names {
        Wanted::Words(names) => names,
        Wanted::Offered(kind) => {
            let names = answered(PATIENCE, move || {
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

/// What `ask` finds, or nothing where it takes longer than `patience`. It is left behind then: the process ends with the answer.
fn answered<T: Send + 'static>(patience: Duration, ask: impl FnOnce() -> Option<T> + Send + 'static) -> Option<T> {
    let (tell, told) = channel();
    thread::spawn(move || tell.send(ask()));
    told.recv_timeout(patience).ok().flatten()
}

/// The name as this shell takes it from a list. zsh and fish quote what is chosen; bash takes it as it is.
fn quoted(shell: &str, name: &str) -> String {
    if is_bash(shell) { shell::word(name) } else { name.to_owned() }
}

/// Whether the shell is bash, by its name or by the path to it.
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
