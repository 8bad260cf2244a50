//! Moves refs of a remote: one push, each move with its expected old value, and git's report on each.

use super::NetworkDoor;
use crate::error::{Error, Result};
use crate::repo::program::run::in_one_line;
use crate::text::escape::clip;
use crate::tree::oid::Oid;
use bstr::{BString, ByteSlice};

/// The required old value of a ref. The server checks it under its own lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// An ancestor of the new commit, or nothing.
    Ancestor,
    /// Exactly this object.
    Exactly(Oid),
    /// Nothing: the ref is new.
    Nothing,
}

/// One ref to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefMove {
    /// Its full name.
    pub name: String,
    /// The new value; `None` deletes the ref.
    pub to: Option<Oid>,
    /// The expected old value.
    pub from: Expected,
}

/// The result of a move, with the sign that `git push --porcelain` puts before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovedHow {
    /// `*`: the ref is new.
    Made,
    /// A blank: it was fast-forwarded.
    Forwarded,
    /// `+`: it was replaced.
    Forced,
    /// `-`: it is gone.
    Deleted,
    /// `=`: it had this value already. Any client may have set it, and git reports this whatever was expected.
    Equal,
    /// `!`: it was not moved.
    Refused,
}

/// The result for one ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedRef {
    /// Its full name.
    pub name: BString,
    /// The result.
    pub how: MovedHow,
    /// git's summary, with the reason for a refusal. It has no credentials, but must be escaped.
    pub why: String,
    /// The server's message if it refused, e.g. "quota exceeded". One line, bounded, without credentials; must be escaped.
    pub heard: Option<String>,
}

impl MovedRef {
    /// The reason for the refusal, in the words of git and of the server.
    #[must_use]
    pub(crate) fn reason(&self) -> String {
        self.heard.as_ref().map_or_else(|| self.why.clone(), |heard| format!("{}; it says: {heard}", self.why))
    }
}

impl NetworkDoor {
    /// Moves these refs in one push; with `atomic` all or none. A refusal is a result, not an error.
    ///
    /// # Errors
    /// Unchecked if the remote gave no answer for some of them: their state is then unknown.
    pub fn push(&self, moves: &[RefMove], atomic: bool) -> Result<Vec<MovedRef>> {
        if moves.is_empty() {
            return Ok(Vec::new());
        }
        let mut arguments: Vec<String> =
            ["push", "--porcelain", "--progress", "--no-verify", "--no-signed", "--no-follow-tags"]
                .map(str::to_owned)
                .into();
        arguments.extend(["--no-recurse-submodules", "--no-thin"].map(str::to_owned));
        arguments.extend(atomic.then(|| "--atomic".to_owned()));
        arguments.extend(moves.iter().filter_map(lease));
        arguments.extend(["--".to_owned(), super::carried::REMOTE.to_owned()]);
        arguments.extend(moves.iter().map(refspec));
        let answer = self.git.ask(&arguments)?;
        let told = self.git.withheld.cleared(&answer.out.to_str_lossy());
        let mut moved: Vec<MovedRef> = told.lines().filter_map(|line| parse(line.as_bytes())).collect();
        let heard = words_of_server(&answer.err);
        let refused = moved.iter_mut().filter(|moved| moved.how == MovedHow::Refused);
        refused.for_each(|moved| moved.heard.clone_from(&heard));
        let all_told = moves.iter().all(|wanted| moved.iter().any(|moved| moved.name == wanted.name));
        let is_refused = moved.iter().any(|moved| moved.how == MovedHow::Refused);
        if all_told && (answer.code == Some(0) || is_refused) {
            return Ok(moved);
        }
        match answer.code {
            Some(0) => Err(Error::odd_git("git push did not say what became of every ref")),
            _ => Err(self.git.failure(&answer)),
        }
    }
}

fn lease(wanted: &RefMove) -> Option<String> {
    let name = &wanted.name;
    match wanted.from {
        Expected::Ancestor => None,
        Expected::Exactly(id) => Some(format!("--force-with-lease={name}:{id}")),
        Expected::Nothing => Some(format!("--force-with-lease={name}:")),
    }
}

fn refspec(wanted: &RefMove) -> String {
    let name = &wanted.name;
    wanted.to.map_or_else(|| format!(":{name}"), |id| format!("{id}:{name}"))
}

/// `<sign> TAB <from>:<to> TAB <summary>`; other lines are about the push as a whole.
fn parse(line: &[u8]) -> Option<MovedRef> {
    let (sign, rest) = line.split_once_str("\t")?;
    let (refs, summary) = rest.split_once_str("\t")?;
    let how = match sign {
        b"*" => MovedHow::Made,
        b" " => MovedHow::Forwarded,
        b"+" => MovedHow::Forced,
        b"-" => MovedHow::Deleted,
        b"=" => MovedHow::Equal,
        // the server vanished without an answer: the state of the ref is unknown
        b"!" if summary.starts_with(b"[remote failure]") => return None,
        b"!" => MovedHow::Refused,
        _ => return None,
    };
    let name = refs.rsplitn_str(2, ":").next()?.into();
    let why = crate::text::scrub::scrub(&summary.to_str_lossy()).into_owned();
    Some(MovedRef { name, how, why, heard: None })
}

/// Maximum length of a server's message, in characters.
const MAX_HEARD: usize = 300;

/// The server's messages without its progress; `None` if there are none.
fn words_of_server(complaint: &[u8]) -> Option<String> {
    let mut said = Vec::new();
    for line in complaint.lines() {
        // progress overwrites its line with carriage returns, and its last part ends with "done."
        let seen = line.rsplit(|byte| *byte == b'\r').find(|part| !part.trim().is_empty()).unwrap_or_default();
        let words = seen.strip_prefix(b"remote: ").map(ByteSlice::trim).unwrap_or_default();
        if !words.is_empty() && !words.ends_with(b", done.") {
            said.extend_from_slice(words);
            said.push(b'\n');
        }
    }
    (!said.is_empty()).then(|| clip(&in_one_line(&said), MAX_HEARD).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gits_own_word_is_read_line_by_line() {
        let read = |line: &str| parse(line.as_bytes()).map(|moved| (moved.how, moved.name.to_string(), moved.why));
        let name = "refs/yatsu/x".to_owned();
        assert_eq!(
            read("!\t12ab:refs/yatsu/x\t[rejected] (stale info)"),
            Some((MovedHow::Refused, name.clone(), "[rejected] (stale info)".to_owned()))
        );
        assert_eq!(
            read("-\t:refs/yatsu/x\t[deleted]"),
            Some((MovedHow::Deleted, name.clone(), "[deleted]".to_owned()))
        );
        assert_eq!(read(" \ta:refs/yatsu/x\ta..b").unwrap().0, MovedHow::Forwarded);
        assert_eq!(read("=\ta:refs/yatsu/x\t[up to date]").unwrap().0, MovedHow::Equal);
        for line in ["To https://host/a.git", "Done", "", "?\ta:b\tc", "!\ta:b\t[remote failure] (x)"] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
