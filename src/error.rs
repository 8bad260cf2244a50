//! A failure to do what was asked, as opposed to a finding about the repository.
//!
//! Every error names its cause and offers at least one hint if a repair is known. The kind alone decides the exit code;
//! there is no other mapping.

use crate::text::excerpt::Excerpt;
use crate::text::spelled::spelled;
use std::fmt;
use std::io;

/// Hints for failures that can happen in any command, each worded once.
pub(crate) mod remedy {
    /// An object is damaged.
    pub(crate) const FSCK: &str = "see what `git fsck` says";
    /// An object is missing.
    pub(crate) const MISSING: &str = "fetch the missing objects, or see what `git fsck` says";
    /// Something changed while it was read.
    pub(crate) const CHANGING: &str = "another program may be changing it: run the same command again";
    /// A file exceeds a size limit.
    pub(crate) const TOO_LARGE: &str = "keep such a file out of the judged paths";
    /// A disk or a connection failed for an unknown reason.
    pub(crate) const AGAIN: &str = "run the same command again; if it fails again, look after the disk first";
    /// Something that is neither a file nor a directory is in the place of one.
    pub(crate) const NO_FILE: &str = "put the real file or directory there";
}

/// The result of everything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What sort of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A write was refused because the request contradicts the repository's state: exit 1.
    Refused(Refusal),
    /// Wrong arguments: exit 2.
    Usage,
    /// A configuration file that cannot be used: exit 2.
    Config,
    /// The check could not be made (git, I/O, lock, unsupported repository): exit 3, which blocks.
    Unchecked,
    /// A source file was not parsed because parsing is not possible here, or took too long. If only one scenario of many is
    /// affected, a command reports that scenario as not judged and goes on. Exit 3 if nothing was done.
    Unparsed,
    /// The requested data is saved, but a follow-up write failed: exit 3. A hint says how to complete it.
    HalfDone,
}

spelled! {
    /// Why a write was refused, for programs: `reason` in schema/refusal.v1.schema.json.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Refusal {
        /// There is nothing to do, for example no scenario needs measuring.
        NothingLeft = "nothing-left",
        /// Another holder has a live claim.
        Held = "held",
        /// A file exists already and is not replaced.
        Exists = "exists",
        /// It happened already and cannot happen twice, for example the key of a reading is used up.
        Already = "already",
        /// The request rests on an older state, for example the claim has expired.
        Stale = "stale",
        /// A condition does not hold, for example the goal is not reached.
        NotMet = "not-met",
        /// An argument, or the content of a file, cannot be used.
        Invalid = "invalid",
        /// Nothing has the given name.
        Unknown = "unknown",
        /// Anything else, for example the repository is bare.
        Other = "refused",
    }
}

impl ErrorKind {
    /// The word for a command that was refused; `None` if it could not be carried out for another reason.
    pub(crate) fn refusal(self) -> Option<&'static str> {
        match self {
            Self::Refused(reason) => Some(reason.as_str()),
            Self::Usage => Some("usage"),
            Self::Config => Some("configuration"),
            Self::Unchecked | Self::Unparsed | Self::HalfDone => None,
        }
    }

    /// The process exit code of an error of this kind.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Refused(_) => 1,
            Self::Usage | Self::Config => 2,
            Self::Unchecked | Self::Unparsed | Self::HalfDone => 3,
        }
    }
}

/// A failure: the sentence to print and the ways to repair it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What sort of failure it was.
    pub kind: ErrorKind,
    /// One sentence: what failed, on what. May hold text from a repository: escape it before printing.
    pub message: String,
    /// Repairs, one line each, best first.
    pub hints: Vec<String>,
    /// The words of one command that helps, for programs; empty if no command does. Never cut out of a hint: a hint can
    /// hold names from the repository, and a hostile name could add words.
    pub argv: Vec<String>,
    /// The lines of the faulty file around the fault, if a file caused the error.
    pub excerpt: Option<Box<Excerpt>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hints: Vec::new(), argv: Vec::new(), excerpt: None }
    }

    /// The check could not be made.
    pub fn unchecked(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unchecked, message)
    }

    /// A file, a directory or a stream, named by `what`, that the system does not let the program read.
    pub(crate) fn unread(what: impl fmt::Display, error: &io::Error) -> Self {
        // the standard library refused the name before the system was asked: a disk of Windows has no file `con`
        if error.kind() == io::ErrorKind::InvalidInput && error.raw_os_error().is_none() {
            return Self::unchecked(format!("cannot read {what}: no file on this system can have this name"))
                .hint("rename it, or judge a commit, which has every name: yatsu-hook scan --rev HEAD");
        }
        Self::unchecked(format!("cannot read {what}: {error}")).hint(match error.kind() {
            io::ErrorKind::NotFound => "it went away, or was never there: look, then run the same command again",
            io::ErrorKind::PermissionDenied => "give yourself the right to read it, then run the same command again",
            io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory => remedy::NO_FILE,
            _ => remedy::AGAIN,
        })
    }

    /// Git gave an answer that no known version of git gives.
    pub(crate) fn odd_git(message: impl Into<String>) -> Self {
        Self::unchecked(message)
            .hint("this version of git may be too new or too old; please report it with `git --version`")
    }

    /// A state that should be impossible: a bug of yatsu-hook, which the user can only report.
    pub(crate) fn fault(message: impl Into<String>) -> Self {
        Self::unchecked(message)
            .hint("this is a fault of yatsu-hook: please report it, with the command and its output")
    }

    pub(crate) fn no_random(error: impl fmt::Display) -> Self {
        Self::unchecked(format!("the system gives no random numbers: {error}"))
            .hint("look at what keeps this process from asking for them (a sandbox, a seccomp filter)")
    }

    /// A source file was not parsed, though it might be possible elsewhere or with more time.
    pub(crate) fn unparsed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unparsed, message)
    }

    /// Arguments that cannot be used: exit 2.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    pub(crate) fn config(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Config, message)
    }

    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Refused(Refusal::Other), message)
    }

    /// The same refusal with its reason.
    #[must_use]
    pub(crate) fn because(self, reason: Refusal) -> Self {
        Self { kind: ErrorKind::Refused(reason), ..self }
    }

    /// Adds a command of this program that helps, for programs. `words` follow the program's name.
    #[must_use]
    pub(crate) fn argv<W: Into<String>>(self, words: impl IntoIterator<Item = W>) -> Self {
        let argv = std::iter::once("yatsu-hook".to_owned()).chain(words.into_iter().map(Into::into)).collect();
        Self { argv, ..self }
    }

    /// Adds one more hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds the lines around `line` and `column` of `bytes`, the content of the faulty file.
    #[must_use]
    pub(crate) fn quoting(mut self, bytes: &[u8], line: u32, column: u32) -> Self {
        self.excerpt = Excerpt::of(bytes, line, Some(column)).map(Box::new);
        self
    }

    /// The same failure as [`ErrorKind::HalfDone`]. `done` says what is saved, for example `the reading is filed`.
    #[must_use]
    pub(crate) fn half_done(self, done: impl fmt::Display) -> Self {
        Self { kind: ErrorKind::HalfDone, ..self.context(done) }
    }

    /// Puts `doing`, the step that failed, in front of the message.
    #[must_use]
    pub(crate) fn context(mut self, doing: impl fmt::Display) -> Self {
        self.message = format!("{doing}: {}", self.message);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_no_file_can_have_is_told_from_a_file_that_cannot_be_read() {
        let refused = std::fs::File::open("src/con\0").unwrap_err();
        let error = Error::unread("src/con", &refused);
        assert_eq!(error.message, "cannot read src/con: no file on this system can have this name");
        assert!(error.hints[0].contains("scan --rev HEAD"), "{error:?}");
        let by_system = Error::unread("a", &io::Error::from_raw_os_error(22));
        assert!(by_system.message.starts_with("cannot read a: ") && !by_system.message.contains("no file on"));
    }
}
