//! The second way to start git: with transports. In: a remote that the user's repository configures, and a bare repository of
//! ours to work in; out: what git did, as plain data. Purpose: what somebody asked to be shared travels over the connections
//! and with the credentials that their own `git fetch` uses there.
//!
//! Kept from the other way: no hook, monitor, collector, signature, tag or submodule; a fixed environment; git found by its
//! absolute path. What is different, and why:
//!
//! * transports are allowed, but only `PROTOCOLS`, and of those only what the user's configuration allows: `ext::` would run
//!   a program that a URL names;
//! * the programs and sockets that credentials need are handed on (`PASSED`);
//! * what the user's repository configures for connections (`carried`) goes along in the environment, never as an argument,
//!   which every user of the machine can read;
//! * the time counts from the last sign of life, because nobody knows how long an upload takes.
//!
//! URLs come from the user's configuration alone, never from a tree. What is looked at is what is pushed to: of a remote with
//! a push URL of its own only that one is used (`single`). Every complaint of git is cleared of what the configured URLs hold
//! ([`crate::text::withheld`]) and scrubbed of credentials ([`crate::text::scrub`]); it may hold text of a server, so that
//! whoever prints it escapes it.

mod carried;
mod moves;
mod objects;
mod single;

pub use moves::{Expected, MovedHow, MovedRef, RefMove};
pub use objects::{BlobLook, StreamedBlobs, TreeLine};

use super::config::ScopedConfig;
use super::{Answer, Git, Limits, find};
use crate::error::{Error, Result};
use crate::tree::oid::Oid;
use bstr::{BString, ByteSlice};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The environment variables that git may see here, each with the reason. None of those that name a repository: ours is.
const PASSED: &[(&str, &str)] = &[
    ("HOME", "the user's configuration, keys and stored credentials"),
    ("XDG_CONFIG_HOME", "the user's configuration"),
    ("LD_LIBRARY_PATH", "a git outside the system directories finds its libraries"),
    ("SUDO_UID", "git's ownership check under sudo"),
    ("GIT_CONFIG_GLOBAL", "which configuration"),
    ("GIT_CONFIG_SYSTEM", "which configuration"),
    ("GIT_CONFIG_NOSYSTEM", "which configuration"),
    ("SSH_AUTH_SOCK", "the keys that an agent holds"),
    ("SSH_ASKPASS", "who asks for a passphrase"),
    ("SSH_ASKPASS_REQUIRE", "who asks for a passphrase"),
    ("GIT_ASKPASS", "who asks for a password"),
    ("GIT_HTTP_PROXY_AUTHMETHOD", "how to log in at a proxy"),
    ("DISPLAY", "where a helper shows its window"),
    ("WAYLAND_DISPLAY", "where a helper shows its window"),
    ("XAUTHORITY", "where a helper shows its window"),
    ("DBUS_SESSION_BUS_ADDRESS", "a keyring is asked over it"),
    ("XDG_RUNTIME_DIR", "a keyring is asked over it"),
    ("USER", "who logs in, where nothing says so"),
    ("LOGNAME", "who logs in, where nothing says so"),
    ("TERM", "a prompt on a terminal"),
];

/// The same for families of variables.
const PASSED_PREFIXES: &[&str] = &["GIT_SSH", "GIT_SSL_", "GIT_PROXY_SSL_", "SSL_CERT_"];

/// The variables that name a proxy, in either case, as curl reads them.
const PROXIES: &[&str] = &["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

/// The transports that may be used at all.
const PROTOCOLS: [&str; 5] = ["file", "git", "http", "https", "ssh"];

/// What is set for every child, whatever the user's environment says.
const SET: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", "/dev/null/none"),
    ("GIT_NO_LAZY_FETCH", "1"),
];

/// What comes before every verb.
const ARGUMENTS: &[&str] = &[
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    // an object by its id is given by every server that speaks it
    "-c",
    "protocol.version=2",
    // one bad ref of somebody else must not stop everybody's fetch; nothing of it is checked out or read as a tree
    "-c",
    "fetch.fsckObjects=false",
    "-c",
    "transfer.fsckObjects=false",
    // a pack is written as it comes; unpacked, a few bytes of it could fill the disk
    "-c",
    "fetch.unpackLimit=1",
    "-c",
    "transfer.unpackLimit=1",
    "-c",
    "fetch.writeCommitGraph=false",
    "-c",
    "fetch.recurseSubmodules=false",
    "-c",
    "push.recurseSubmodules=no",
    "-c",
    "push.gpgSign=false",
    "-c",
    "push.followTags=false",
    // what is sent is mostly compressed already, and larger than it is worth in memory
    "-c",
    "core.compression=0",
    "-c",
    "core.bigFileThreshold=1m",
    "-c",
    "pack.window=0",
    "-c",
    "pack.threads=1",
    "-c",
    "core.packedGitWindowSize=16m",
    "-c",
    "core.packedGitLimit=64m",
    // what lies beside a directory apart is our own repository, whose refs are known: no git is started to list them once more
    "-c",
    "core.alternateRefsCommand=exit;",
    // a copy of what lies in the cache, or of what can be fetched again: nobody waits for the disk
    "-c",
    "core.fsync=none",
];

/// What git says where it cannot write here.
const OURS: [&str; 5] = [
    "No space left on device",
    "Disk quota exceeded",
    "Read-only file system",
    "Input/output error",
    "unable to create temporary file",
];

/// How long a connection may say nothing.
const SILENCE: Duration = Duration::from_secs(120);

/// What to open the door with.
pub(crate) struct Connecting<'a> {
    /// The environment of this process.
    pub(crate) environment: &'a [(OsString, OsString)],
    /// Where the user's own git would run: what relative paths of their configuration are relative to.
    pub(crate) dir: &'a Path,
    /// The configuration as the user's repository resolves it.
    pub(crate) config: &'a ScopedConfig,
    /// The git directory of the repository of ours, which need not be there yet.
    pub(crate) git_dir: &'a Path,
    /// The remote's name in the user's configuration.
    pub(crate) remote: &'a str,
    /// Whether somebody sits at a terminal and may be asked for a password.
    pub(crate) terminal: bool,
}

/// The git program with transports, for one remote of the user's and one bare repository of ours.
#[derive(Clone, Debug)]
pub struct NetworkDoor {
    git: Git,
    git_dir: PathBuf,
    remote: String,
    place: String,
}

impl NetworkDoor {
    /// Opens it; nothing is connected yet.
    ///
    /// # Errors
    /// Usage where the user's configuration has no such remote, unchecked where there is no git.
    pub(crate) fn open(with: &Connecting<'_>) -> Result<Self> {
        let (program, path) = find(with.environment)?;
        let single = single::SingleUrl::of(with.config, with.remote)?;
        let mut kept: Vec<_> = with.environment.iter().filter(|(name, _)| is_passed(name)).cloned().collect();
        kept.push(path);
        kept.extend(SET.iter().map(|(name, value)| (name.into(), value.into())));
        kept.push(("GIT_DIR".into(), with.git_dir.into()));
        kept.push(("GIT_ALLOW_PROTOCOL".into(), allowed_protocols(with).join(":").into()));
        if !with.terminal {
            kept.push(("GIT_TERMINAL_PROMPT".into(), "0".into()));
        }
        kept.extend(carried::variables(with.config, with.remote, &single.url));
        let limits = Limits { time: SILENCE, renewed: true, terminal: with.terminal, ..Limits::default() };
        let git = Git {
            program,
            dir: with.dir.to_owned(),
            environment: kept,
            arguments: ARGUMENTS,
            limits,
            withheld: single.withheld,
        };
        Ok(Self { git, git_dir: with.git_dir.to_owned(), remote: with.remote.to_owned(), place: single.place })
    }

    /// The same, giving up after `whole`, also where something is still coming.
    #[must_use]
    pub fn within(mut self, whole: Duration) -> Self {
        self.git.limits.whole = Some(whole);
        self
    }

    /// The same, giving up when nothing came for so long.
    #[must_use]
    pub fn patient_for(mut self, silence: Duration) -> Self {
        self.git.limits.time = silence;
        self
    }

    /// The remote's name.
    pub fn remote(&self) -> &str {
        &self.remote
    }

    /// A word that tells this remote's URL from every other one and says nothing about it.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The git directory of the repository of ours.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The same with objects written to `objects`, and read from our repository as well: what comes from a remote stays
    /// apart until it is known to be right.
    #[must_use]
    pub fn apart(&self, objects: &Path) -> Self {
        let mut other = self.clone();
        let own = self.git_dir.join("objects");
        other.git.environment.push(("GIT_OBJECT_DIRECTORY".into(), objects.into()));
        other.git.environment.push(("GIT_ALTERNATE_OBJECT_DIRECTORIES".into(), crate::repo::alternates::quoted(&own)));
        other
    }

    /// The refs of the remote whose names begin with one of `prefixes`, as they are now.
    ///
    /// # Errors
    /// Unchecked where it cannot be asked.
    pub fn list(&self, prefixes: &[&str]) -> Result<Vec<(BString, Oid)>> {
        let mut arguments = vec!["ls-remote".to_owned(), "--refs".into(), "--".into(), carried::REMOTE.to_owned()];
        arguments.extend(prefixes.iter().map(|prefix| format!("{prefix}*")));
        let output = self.git.demand(&arguments)?;
        let mut refs = Vec::new();
        for line in output.lines() {
            let parsed = line.split_once_str("\t").and_then(|(id, name)| Some((Oid::from_hex(id)?, name)));
            let (id, name) = parsed.ok_or_else(|| Error::odd_git("git ls-remote printed a line that is no ref"))?;
            // the pattern also matches the end of a longer name
            if prefixes.iter().any(|prefix| name.starts_with(prefix.as_bytes())) {
                refs.push((name.into(), id));
            }
        }
        Ok(refs)
    }

    /// Fetches: `wanted` are refspecs or ids of objects. Whatever the answer, some of it may have come.
    ///
    /// # Errors
    /// Unchecked where git could not be run, waited in vain, or could not write here.
    pub fn fetch(&self, wanted: &[String], limits: FetchLimits) -> Result<Fetched> {
        let input: String = wanted.iter().map(|wanted| format!("{wanted}\n")).collect();
        let arguments = fetch_arguments(limits);
        let answer = self.limited(limits.bytes, &arguments, input.into_bytes())?;
        if answer.code == Some(0) {
            return Ok(Fetched::All);
        }
        let error = self.git.failure(&answer);
        if is_ours(&answer.err) {
            return Err(
                error.hint("make room, or give yourself the right to write there, then run the same command again")
            );
        }
        Ok(Fetched::NotAll(error))
    }

    /// Runs git with a limit on the size of each file that it writes, and on its memory.
    fn limited(&self, bytes: u64, arguments: &[&str], input: Vec<u8>) -> Result<Answer> {
        let mut limited = self.git.clone();
        limited.limits.file = Some(bytes);
        limited.ask_with(arguments, input)
    }

    /// What git printed; `arguments` are of a verb that opens no connection.
    fn demand<A: AsRef<OsStr>>(&self, arguments: &[A], input: Vec<u8>) -> Result<Vec<u8>> {
        self.git.refuse_failure(self.git.ask_with(arguments, input)?).map(|answer| answer.out)
    }
}

/// What a fetch may do.
#[derive(Clone, Copy, Debug)]
pub struct FetchLimits {
    /// The largest file, a pack say, that it may write.
    pub bytes: u64,
    /// Whether the server is told nothing about what is here, and leaves nothing out because of it.
    pub anew: bool,
}

/// What became of a fetch.
#[derive(Debug)]
pub enum Fetched {
    /// Everything came.
    All,
    /// Not everything came, for this reason: one bad ref is enough, or one id that the server does not give.
    NotAll(Error),
}

fn fetch_arguments(limits: FetchLimits) -> Vec<&'static str> {
    let mut arguments = if limits.anew { vec!["-c", "fetch.negotiationAlgorithm=noop"] } else { Vec::new() };
    // without --refmap= the refspecs that the user configured would write refs here
    arguments.extend([
        "fetch",
        "--progress",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--no-prune",
    ]);
    arguments.extend([
        "--no-recurse-submodules",
        "--refmap=",
        "--no-write-commit-graph",
        "--stdin",
        "--",
        carried::REMOTE,
    ]);
    arguments
}

/// Whether a fetch failed because of this machine: nobody there is to blame then, and nobody else need be asked.
fn is_ours(complaint: &[u8]) -> bool {
    let said_there = |line: &&[u8]| line.starts_with(b"remote: ");
    complaint.lines().filter(|line| !said_there(line)).any(|line| OURS.iter().any(|reason| line.contains_str(reason)))
}

/// Those of [`PROTOCOLS`] that neither the user's environment nor their configuration forbids: git would ask neither, where
/// it is told which ones are allowed.
fn allowed_protocols(with: &Connecting<'_>) -> Vec<&'static str> {
    let listed = with.environment.iter().find(|(name, _)| name == "GIT_ALLOW_PROTOCOL").map(|(_, value)| value);
    let listed = listed.map(|value| value.to_string_lossy().into_owned());
    let in_list = |protocol: &str| listed.as_ref().is_none_or(|list| list.split(':').any(|word| word == protocol));
    let is_never = |protocol: &str| {
        let own = with.config.whole.get(&format!("protocol.{protocol}.allow"));
        own.or_else(|| with.config.whole.get("protocol.allow")).is_some_and(|value| value == "never")
    };
    PROTOCOLS.into_iter().filter(|protocol| in_list(protocol) && !is_never(protocol)).collect()
}

fn is_passed(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    PASSED.iter().any(|(passed, _)| *passed == name)
        || PASSED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || PROXIES.iter().any(|proxy| *proxy == name || proxy.to_ascii_lowercase() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What git sees of this environment and configuration.
    fn seen(environment: &[(&str, &str)], config: &str, terminal: bool) -> Vec<(String, String)> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let given = environment.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let environment: Vec<(OsString, OsString)> = given.chain([("PATH".into(), path)]).collect();
        let whole = super::super::GitConfig::parse(format!("remote.o.url\nu\0{config}").as_bytes());
        let config = ScopedConfig { whole, ..ScopedConfig::default() };
        let (dir, git_dir) = (Path::new("/"), Path::new("/ours"));
        let with = Connecting { environment: &environment, dir, config: &config, git_dir, remote: "o", terminal };
        let door = NetworkDoor::open(&with).unwrap();
        let text = |part: &OsString| part.to_string_lossy().into_owned();
        door.git.environment.iter().map(|(name, value)| (text(name), text(value))).collect()
    }

    #[test]
    fn without_a_terminal_nobody_is_asked_for_a_password() {
        let asks = |terminal| !seen(&[], "", terminal).contains(&("GIT_TERMINAL_PROMPT".into(), "0".into()));
        assert!(asks(true) && !asks(false));
        let kept =
            seen(&[("SSH_AUTH_SOCK", "s"), ("https_proxy", "p"), ("GIT_TRACE", "1"), ("GIT_DIR", "x")], "", false);
        let of =
            |name: &str| kept.iter().filter(|(found, _)| found == name).map(|(_, value)| &**value).collect::<Vec<_>>();
        assert_eq!((of("SSH_AUTH_SOCK"), of("https_proxy"), of("GIT_TRACE")), (vec!["s"], vec!["p"], vec![]));
        assert_eq!(of("GIT_DIR"), ["/ours"]);
    }

    #[test]
    fn no_transport_is_used_that_runs_a_program_or_that_somebody_forbade() {
        let allowed = |environment: &[(&str, &str)], config: &str| {
            let seen = seen(environment, config, false);
            seen.into_iter()
                .filter(|(name, _)| name == "GIT_ALLOW_PROTOCOL")
                .map(|(_, value)| value)
                .collect::<Vec<_>>()
        };
        assert_eq!(allowed(&[], ""), ["file:git:http:https:ssh"]);
        assert_eq!(allowed(&[], "protocol.ext.allow\nalways\0"), ["file:git:http:https:ssh"]);
        assert_eq!(allowed(&[("GIT_ALLOW_PROTOCOL", "ext:https")], ""), ["https"]);
        assert_eq!(allowed(&[], "protocol.git.allow\nnever\0"), ["file:http:https:ssh"]);
        assert_eq!(allowed(&[], "protocol.allow\nnever\0protocol.ssh.allow\nalways\0"), ["ssh"]);
    }

    #[test]
    fn a_full_disk_here_is_told_from_one_over_there() {
        assert!(is_ours(b"remote: Counting objects: 3\nfatal: write error: No space left on device\n"));
        assert!(!is_ours(b"remote: error: No space left on device\nfatal: protocol error\n"));
        assert!(!is_ours(b"fatal: write error: File too large\n"), "a limit of ours says something about what came");
    }
}
