//! Finds and runs `yatsu-hook-cloud`: the same program as this one, built with the feature `cloud`, which this one lacks in
//! order to have no network code. It lies beside this program or in an entry of `PATH` outside of the repository, so that nothing
//! in a repository can name another program. It gets the user's environment, which holds the credentials of buckets.

use super::run::{Errors, Limits, Running};
use super::search_path::SearchPath;
use crate::error::{Error, Result};
use crate::sys::{self, Child, Terminal};
use crate::text::escape::{clip, terminal};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program's file name.
const NAME: &str = "yatsu-hook-cloud";
/// The version of a program with the feature. A program without it adds this itself to its own, to know what it looks for.
pub(crate) const CLOUD_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+cloud");
/// How much of the answer of another program is shown, in characters.
const MAX_SHOWN: usize = 60;

/// The program that talks to object storage, in the version of this one.
#[derive(Debug)]
pub(crate) struct CloudProgram(PathBuf);

impl CloudProgram {
    /// Looks in the directory of `ours`, our own program, and then in `search`.
    ///
    /// # Errors
    /// Unchecked if it is not installed, or if the first one of its name has another version.
    pub(crate) fn locate(ours: Option<&Path>, search: &SearchPath) -> Result<Self> {
        let beside = ours.filter(|ours| ours.is_absolute()).and_then(Path::parent);
        let beside = beside.map(|dir| dir.join(sys::program(NAME))).filter(|file| sys::runs(file));
        let found = beside.or_else(|| search.program(NAME)).ok_or_else(|| {
            Error::unchecked(format!("{NAME}, the program that talks to object storage, is not installed")).hint(
                "in the checkout of yatsu-hook: \
                 `cargo install --locked --path . --features cloud --bin yatsu-hook-cloud`",
            )
        })?;
        let answer = version_of(&found)?;
        if answer == CLOUD_VERSION {
            return Ok(Self(found));
        }
        let answer = clip(&answer, MAX_SHOWN).into_owned();
        let shown = terminal(&answer);
        Err(Error::unchecked(format!("{} is another version, or another program (`{shown}`, not `{CLOUD_VERSION}`)", found.display()))
            .hint("update both from one checkout: `cargo install --locked --path .`, and the same with `--features cloud --bin yatsu-hook-cloud`"))
    }

    /// Runs it to its end; returns its exit code, or `None` if a signal ended it. It ends with this process. With `terminal`
    /// it shares our process group, so that Ctrl-C ends both.
    ///
    /// # Errors
    /// Unchecked if it cannot be started.
    pub(crate) fn run(&self, arguments: &[OsString], terminal: bool) -> Result<Option<i32>> {
        let cannot = |error: std::io::Error| cannot_run(&self.0, &error.to_string());
        let mut command = Command::new(&self.0);
        command.args(arguments).stdin(if terminal { Stdio::inherit() } else { Stdio::null() });
        let mut child = Child::start(command, Terminal::shared_if(terminal), true, None).map_err(cannot)?;
        child.wait().map(|status| status.code()).map_err(cannot)
    }
}

/// The last word of the program's answer to `--version`, for example `0.1.0+cloud`.
fn version_of(program: &Path) -> Result<String> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null());
    let running = Running::spawn(command, Errors::Apart, Limits::default(), NAME.to_owned());
    let answer =
        running.and_then(|running| running.collect(None)).map_err(|error| cannot_run(program, &error.message))?;
    Ok(String::from_utf8_lossy(&answer.out).split_whitespace().last().unwrap_or_default().to_owned())
}

fn cannot_run(program: &Path, why: &str) -> Error {
    Error::unchecked(format!("{} cannot be run: {why}", program.display()))
        .hint("look whether it is the right program for this machine, and whether you may run it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    /// A shell script with the name of the program.
    fn script(dir: &Path, text: &str) {
        let path = dir.join(NAME);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn search(path: &str) -> SearchPath {
        SearchPath::new(OsStr::new(path), Vec::new())
    }

    fn locate(dir: &Path) -> Result<CloudProgram> {
        CloudProgram::locate(Some(&dir.join("yatsu-hook")), &search("/nowhere"))
    }

    #[test]
    fn a_program_that_is_not_installed_is_named_with_the_line_that_installs_it() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(NAME), "not to be run").unwrap();
        let error = locate(dir.path()).unwrap_err();
        assert!(error.message.contains("not installed") && error.hints[0].contains("--features cloud"), "{error:?}");
        assert_eq!(error.kind.exit_code(), 3);
        script(dir.path(), &format!("echo yatsu-hook {CLOUD_VERSION}"));
        locate(dir.path()).unwrap();
        let elsewhere = |search: &str| CloudProgram::locate(None, &self::search(search));
        assert!(elsewhere(&format!("relative:{}", dir.path().display())).is_ok(), "an absolute entry of PATH");
        // the same directory as a relative path
        let up = "../".repeat(std::env::current_dir().unwrap().components().count());
        let relative = format!("{up}{}", dir.path().strip_prefix("/").unwrap().display());
        assert!(Path::new(&relative).join(NAME).exists());
        assert!(elsewhere(&format!("{relative}:")).is_err());
        assert!(CloudProgram::locate(Some(&Path::new(&relative).join("yatsu-hook")), &search("")).is_err());
    }

    #[test]
    fn a_program_that_is_not_the_one_or_of_another_version_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let same = env!("CARGO_PKG_VERSION");
        for text in [
            "echo yatsu-hook 0.0.1+cloud",
            &format!("echo yatsu-hook {same}"),
            "echo hello",
            "exit 2",
            "printf '\\033[2J'",
        ] {
            script(dir.path(), text);
            let error = locate(dir.path()).unwrap_err();
            assert!(error.message.contains("another version") && !error.message.contains('\u{1b}'), "{error}");
            assert!(error.hints[0].contains("update both"), "{error:?}");
            assert_eq!(error.kind.exit_code(), 3);
        }
    }

    #[test]
    fn it_gets_the_arguments_and_its_exit_code_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        script(
            dir.path(),
            &format!(
                "[ \"$1\" = --version ] && exec echo yatsu-hook {CLOUD_VERSION}; [ \"$1 $2\" = 'share push' ] && exit 7; kill -9 $$"
            ),
        );
        let program = locate(dir.path()).unwrap();
        assert_eq!(program.run(&["share".into(), "push".into()], false).unwrap(), Some(7));
        assert_eq!(program.run(&[], false).unwrap(), None);
    }
}
