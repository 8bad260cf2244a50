//! The settings of one run: the directory, and how to print.

use super::args::global::{Color, GlobalArgs};
use super::style;
use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::report::Report;
use crate::report::{Format, RuleText, Style};
use crate::rules;
use crate::sys;
use crate::text::shell;
use bstr::ByteSlice;
use std::cell::OnceCell;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// How much to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Only blocking findings.
    Quiet,
    /// Blocking findings and advice.
    #[default]
    Normal,
    /// Also what was examined.
    Verbose,
}

/// A standard stream for output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output: reports and receipts.
    Out,
    /// Standard error: errors and progress.
    Err,
}

/// The git commands that hints name.
const GIT_VERBS: [&str; 24] = [
    "add",
    "branch",
    "checkout",
    "commit",
    "config",
    "fetch",
    "fsck",
    "log",
    "ls-files",
    "merge",
    "mv",
    "pull",
    "push",
    "read-tree",
    "rebase",
    "remote",
    "reset",
    "restore",
    "rm",
    "show",
    "status",
    "submodule",
    "switch",
    "worktree",
];

/// The settings of one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Global {
    dir: Option<PathBuf>,
    pub(crate) format: Format,
    /// How much to say.
    pub(crate) verbosity: Verbosity,
    color: Color,
    ascii: bool,
    /// The top of the work tree; set when the repository is opened.
    top: OnceCell<PathBuf>,
    /// Where the user types commands; found once, after `top` is set.
    working_dir: OnceCell<shell::WorkingDir>,
}

impl Global {
    /// The typed settings.
    ///
    /// # Errors
    /// If they contradict each other.
    pub(super) fn of(args: GlobalArgs) -> Result<Self> {
        let verbosity = match (args.quiet, args.verbose) {
            (true, true) => {
                return Err(Error::usage("--quiet and --verbose exclude each other").hint("give one of them"));
            }
            (true, false) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        };
        Ok(Self {
            dir: args.dir,
            format: args.format,
            verbosity,
            color: args.color,
            ascii: args.ascii,
            ..Self::default()
        })
    }

    /// No settings but a format.
    pub(super) fn in_format(format: Format) -> Self {
        Self { format, ..Self::default() }
    }

    /// The directory to run in, as typed; `.` by default. The process never changes its own directory, because git's
    /// variables are relative to it.
    ///
    /// # Errors
    /// If it is not a directory.
    pub(super) fn directory(&self) -> Result<&Path> {
        let Some(dir) = &self.dir else { return Ok(Path::new(".")) };
        if dir.is_dir() {
            Ok(dir)
        } else {
            Err(Error::usage(format!("-C {}: not a directory", dir.display()))
                .hint("name one that is there, or leave -C out"))
        }
    }

    /// Remembers the work tree, because the commands in hints name paths in it.
    pub(super) fn is_about(&self, repo: &Repo) {
        if let Some(top) = &repo.work_dir {
            let _ = self.top.set(top.clone());
        }
    }

    /// `text` with its commands as the user must type them: paths that count from the top of the work tree become relative
    /// to the user's directory, or to the directory of `-C`.
    pub(crate) fn typed_here(&self, text: &str) -> String {
        let text = shell::typed(text, || self.working_dir());
        match &self.dir {
            Some(dir) => with_directory(&text, dir),
            None => text.into_owned(),
        }
    }

    /// The user's directory, or the directory of `-C`, relative to the top.
    fn working_dir(&self) -> &shell::WorkingDir {
        match self.top.get() {
            Some(top) => self.working_dir.get_or_init(|| self.dir_below(top)),
            None => &shell::AT_TOP,
        }
    }

    fn dir_below(&self, top: &Path) -> shell::WorkingDir {
        let real = |path: &Path| sys::canonical(path).unwrap_or_else(|_| path.to_owned());
        let (top, here) = (real(top), real(self.dir.as_deref().unwrap_or(Path::new("."))));
        match here.strip_prefix(&top) {
            Ok(below) if below == Path::new("") => shell::WorkingDir::default(),
            Ok(below) => shell::WorkingDir {
                up: "../".repeat(below.components().count()),
                below: format!("{}/", below.to_string_lossy()),
            },
            Err(_) => {
                shell::WorkingDir { up: format!("{}/", shell::word(&top.to_string_lossy())), below: String::new() }
            }
        }
    }

    /// The report with commands as the user must type them.
    pub(super) fn told_here(&self, mut report: Report) -> Report {
        let unchecked = report.unchecked.iter_mut().flat_map(|(_, hints)| hints);
        let helps = report.findings.iter_mut().chain(&mut report.beyond).map(|finding| &mut finding.help);
        for text in helps.chain(&mut report.notes).chain(&mut report.older).chain(unchecked) {
            *text = self.typed_here(text);
        }
        report
    }

    /// The error with commands in its hints as the user must type them.
    pub(super) fn offered_here(&self, error: Error) -> Error {
        let hints = error.hints.iter().map(|hint| self.typed_here(hint)).collect();
        let mut argv = error.argv;
        if let (Some(dir), false) = (&self.dir, argv.is_empty()) {
            argv.splice(1..1, ["-C".to_owned(), dir.to_string_lossy().into_owned()]);
        }
        Error { hints, argv, ..error }
    }

    /// The style for `stream`. Call only when there is something to print.
    pub(crate) fn style(&self, stream: Stream) -> Style {
        let is_terminal = match stream {
            Stream::Out => std::io::stdout().is_terminal(),
            Stream::Err => std::io::stderr().is_terminal(),
        };
        Style {
            color: style::is_colored(self.color, &|name| std::env::var_os(name), is_terminal),
            verbose: self.verbosity == Verbosity::Verbose,
            quiet: self.verbosity == Verbosity::Quiet,
            ascii: self.ascii || !is_terminal,
            width: is_terminal.then(|| columns(stream)),
            describe,
        }
    }

    /// Text for people as it is printed: with `--ascii` without the signs that this program draws. Machine formats have no
    /// such signs.
    pub(crate) fn drawn(&self, text: Vec<u8>) -> Vec<u8> {
        if !self.ascii || self.format != Format::Human {
            return text;
        }
        let signs: [(&str, &str); 4] = [("·", "-"), ("…", "..."), ("─", "-"), ("→", "->")];
        signs.iter().fold(text, |text, (sign, plain)| text.replace(sign, plain))
    }

    /// Whether to draw bars: standard output is a terminal, or colour was asked for.
    pub(super) fn is_watched(&self) -> bool {
        std::io::stdout().is_terminal() || self.style(Stream::Out).color
    }
}

/// The width of the terminal behind a stream. Some CI runners report a width of 0, which counts as 80.
fn columns(stream: Stream) -> usize {
    let size = match stream {
        Stream::Out => terminal_size::terminal_size_of(std::io::stdout()),
        Stream::Err => terminal_size::terminal_size_of(std::io::stderr()),
    };
    size.map(|(width, _)| usize::from(width.0)).filter(|width| *width > 0).unwrap_or(80)
}

/// `text` with `-C dir` in every yatsu-hook and git command. A command is recognised by the verb after the program's name.
fn with_directory(text: &str, dir: &Path) -> String {
    let ours = in_directory(text, "yatsu-hook ", dir, super::args::is_verb);
    in_directory(&ours, "git ", dir, |word| GIT_VERBS.contains(&word))
}

/// Adds `-C dir` to the commands of one program. `is_verb` knows the program's verbs.
fn in_directory(text: &str, program: &str, dir: &Path, is_verb: impl Fn(&str) -> bool) -> String {
    let mut parts = text.split(program);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for rest in parts {
        let word: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
        let is_whole = !out.ends_with(|c: char| c.is_alphanumeric() || "/.-_".contains(c));
        out += program;
        if is_whole && is_verb(&word) {
            out += &format!("-C {} ", shell::word(&dir.to_string_lossy()));
        }
        out += rest;
    }
    out
}

fn describe(rule: crate::finding::RuleId) -> RuleText {
    let text = rules::explain(rule);
    RuleText { summary: text.summary, why: text.why, mend: text.mend }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_commands_are_typed_is_found_out_once() {
        let global = Global { dir: Some(".".into()), ..Global::default() };
        assert_eq!(*global.working_dir(), shell::AT_TOP, "nothing was opened yet");
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
        global.top.set(top).unwrap();
        let dir = global.working_dir();
        assert_eq!(dir.up, "../");
        assert!(std::ptr::eq(dir, global.working_dir()), "each of many findings asks");
    }

    #[test]
    fn a_command_that_is_offered_says_where_it_is_typed() {
        for (text, here) in [
            ("all runs: yatsu-hook runlog ls", "all runs: yatsu-hook -C 'a b' runlog ls"),
            ("a newer yatsu-hook may know it", "a newer yatsu-hook may know it"),
            ("`yatsu-hook repair` or yatsu-hook ls", "`yatsu-hook -C 'a b' repair` or yatsu-hook -C 'a b' ls"),
            ("yatsu-hook -C x ls", "yatsu-hook -C x ls"),
            ("then git add it", "then git -C 'a b' add it"),
            ("a git that has no such verb, `git -C x add y`", "a git that has no such verb, `git -C x add y`"),
        ] {
            assert_eq!(with_directory(text, Path::new("a b")), here);
        }
    }
}
