//! The second way to start git: with transports. In: a remote from the user's configuration, and a bare repository of this
//! program to work in; out: the results of git, as plain data. Data that the user asked to share travels over the
//! connections and with the credentials of the user's own `git fetch`.
//!
//! As in [`super`]: no hook, monitor, collector, signature, tag or submodule; a fixed environment; git found by its absolute
//! path. The differences, and why:
//!
//! * transports are allowed, but only `PROTOCOLS`, and of these only the ones that the user's configuration allows: `ext::`
//!   would run a program that a URL names;
//! * the programs and sockets that credentials need are handed on (`PASSED`);
//! * the connection settings of the user's repository (`carried`) are passed in the environment, never as arguments, which
//!   every user of the machine can read;
//! * the time limit restarts with each sign of life, because the duration of an upload is unknown.
//!
//! URLs come only from the user's configuration, never from a tree. Reads and pushes use the same URL: if a remote has its
//! own push URL, only that one is used (`single`). Every error message of git is cleared of secrets in the configured URLs
//! ([`crate::text::withheld`]) and of credentials ([`crate::text::scrub`]). It may contain text of a server, so it must be
//! escaped before it is printed.

mod carried;
mod moves;
mod objects;
mod single;

pub(crate) use moves::MovedRef;
pub use moves::{Expected, MovedHow, RefMove};
pub(crate) use objects::{BlobLook, StreamedBlobs, TreeLine};

use super::SearchPath;
use super::config::ScopedConfig;
use super::{Answer, Git, Limits, find};
use crate::error::{Error, Result};
use crate::sys;
use crate::tree::oid::Oid;
use bstr::{BString, ByteSlice};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The environment variables that git may see here, after the reason. Variables that name a repository are left out: this
/// program names its own.
const PASSED: &[(&str, &[&str])] = &[
    ("the user's configuration, keys and stored credentials", &["HOME", "XDG_CONFIG_HOME"]),
    ("a git outside the system directories finds its libraries", &["LD_LIBRARY_PATH"]),
    ("git's ownership check under sudo", &["SUDO_UID"]),
    ("which configuration", &["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"]),
    ("the keys that an agent holds", &["SSH_AUTH_SOCK"]),
    ("who asks for a passphrase or a password", &["SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "GIT_ASKPASS"]),
    ("how to log in at a proxy", &["GIT_HTTP_PROXY_AUTHMETHOD"]),
    ("where a helper shows its window", &["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"]),
    ("a keyring is asked over it", &["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"]),
    ("who logs in, where nothing says so", &["USER", "LOGNAME"]),
    ("a prompt on a terminal", &["TERM"]),
];

const PASSED_PREFIXES: &[&str] = &["GIT_SSH", "GIT_SSL_", "GIT_PROXY_SSL_", "SSL_CERT_"];

/// The variables that name a proxy, in either case, as curl reads them.
const PROXIES: &[&str] = &["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

/// The transports that may be used at all.
const PROTOCOLS: [&str; 5] = ["file", "git", "http", "https", "ssh"];

/// Variables set for every child, whatever the user's environment has.
const SET: &[(&str, &str)] =
    &[("LC_ALL", "C"), ("GIT_NO_REPLACE_OBJECTS", "1"), ("GIT_GRAFT_FILE", sys::NO_FILE), ("GIT_NO_LAZY_FETCH", "1")];

/// The options before every verb.
const OPTIONS: &[&str] = &["--no-pager", "--no-optional-locks"];

/// The configuration for every run, each passed with `-c`.
const SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    sys::NO_HOOKS,
    "safe.bareRepository=explicit",
    "gc.auto=0",
    "maintenance.auto=false",
    // every server with this protocol serves an object by its id
    "protocol.version=2",
    // one bad ref of another user must not stop every fetch; no fetched object is checked out or read as a tree
    "fetch.fsckObjects=false",
    "transfer.fsckObjects=false",
    // keep a pack as it comes: unpacked, a few bytes of it could fill the disk
    "fetch.unpackLimit=1",
    "transfer.unpackLimit=1",
    "fetch.writeCommitGraph=false",
    "fetch.recurseSubmodules=false",
    "push.recurseSubmodules=no",
    "push.gpgSign=false",
    "push.followTags=false",
    // the sent data is mostly compressed already, and too large to hold in memory
    "core.compression=0",
    "core.bigFileThreshold=1m",
    "pack.window=0",
    "pack.threads=1",
    "core.packedGitWindowSize=16m",
    "core.packedGitLimit=64m",
    // the alternate is this program's own repository with known refs: git need not start a child to list them
    "core.alternateRefsCommand=exit;",
    // the data is a copy of the cache or can be fetched again, so do not wait for the disk
    "core.fsync=none",
];

/// git's messages for a failure to write on this machine.
const OURS: [&str; 5] = [
    "No space left on device",
    "Disk quota exceeded",
    "Read-only file system",
    "Input/output error",
    "unable to create temporary file",
];

/// How long a connection may be silent.
const SILENCE: Duration = Duration::from_secs(120);

/// The git program with transports, for one of the user's remotes and one bare repository of this program.
#[derive(Clone, Debug)]
pub struct NetworkDoor {
    git: Git,
    git_dir: PathBuf,
    remote: String,
    place: String,
}

impl NetworkDoor {
    /// Prepares git for the remote, without connecting. `dir` is where the user's own git would run, because the configuration
    /// may hold relative paths. `git_dir` is the git directory of this program's repository, which may not exist yet.
    /// `terminal`: whether git may ask the user for a password.
    ///
    /// # Errors
    /// Usage if the user's configuration has no such remote, unchecked if there is no git.
    pub(crate) fn open(
        environment: &[(OsString, OsString)],
        dir: &Path,
        config: &ScopedConfig,
        git_dir: &Path,
        remote: &str,
        terminal: bool,
    ) -> Result<Self> {
        let (program, path) = find(&SearchPath::around(environment, dir))?;
        let single::SingleUrl { url, place, withheld } = single::SingleUrl::of(config, remote)?;
        let mut kept: Vec<_> = environment.iter().filter(|(name, _)| is_passed(name)).cloned().collect();
        kept.push(path);
        kept.extend(SET.iter().map(|(name, value)| (name.into(), value.into())));
        kept.push(("GIT_DIR".into(), git_dir.into()));
        kept.push(("GIT_ALLOW_PROTOCOL".into(), allowed_protocols(environment, config).join(":").into()));
        if !terminal {
            kept.push(("GIT_TERMINAL_PROMPT".into(), "0".into()));
        }
        kept.extend(carried::variables(config, remote, &url));
        let limits = Limits { time: SILENCE, renewed: true, terminal, ..Limits::default() };
        let dir = dir.to_owned();
        let git = Git { program, dir, environment: kept, options: OPTIONS, settings: SETTINGS, limits, withheld };
        Ok(Self { git, git_dir: git_dir.to_owned(), remote: remote.to_owned(), place })
    }

    /// The same door with a limit on the whole time, even while data still arrives.
    #[must_use]
    pub(crate) fn within(mut self, whole: Duration) -> Self {
        self.git.limits.whole = Some(whole);
        self
    }

    /// The same door with a limit on the time without data.
    #[must_use]
    pub fn patient_for(mut self, silence: Duration) -> Self {
        self.git.limits.time = silence;
        self
    }

    /// The remote's name.
    pub fn remote(&self) -> &str {
        &self.remote
    }

    /// A hash of the remote's URL: unique for the URL, without revealing it.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The git directory of this program's repository.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The same door, with new objects written to `objects`; the repository's own objects can still be read. Data from a
    /// remote stays separate until it is verified.
    #[must_use]
    pub(crate) fn apart(&self, objects: &Path) -> Self {
        let mut other = self.clone();
        let own = self.git_dir.join("objects");
        other.git.environment.push(("GIT_OBJECT_DIRECTORY".into(), objects.into()));
        other.git.environment.push(("GIT_ALTERNATE_OBJECT_DIRECTORIES".into(), crate::repo::alternates::quoted(&own)));
        other
    }

    /// The remote's refs with a name that begins with one of `prefixes`, as they are now.
    ///
    /// # Errors
    /// Unchecked if the remote does not answer.
    pub fn list(&self, prefixes: &[&str]) -> Result<Vec<(BString, Oid)>> {
        let mut arguments = vec!["ls-remote".to_owned(), "--refs".into(), "--".into(), carried::REMOTE.to_owned()];
        arguments.extend(prefixes.iter().map(|prefix| format!("{prefix}*")));
        let output = self.git.demand(&arguments).map_err(|error| self.git.unless_too_old(error))?;
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

    /// Fetches `wanted`, which are refspecs or ids of objects. Some objects may have arrived even if it fails.
    ///
    /// # Errors
    /// Unchecked if git could not be run, timed out, or could not write here.
    pub fn fetch(&self, wanted: &[String], limits: FetchLimits) -> Result<Fetched> {
        let input: String = wanted.iter().map(|wanted| format!("{wanted}\n")).collect();
        let arguments = fetch_arguments(limits);
        let answer = self.limited(limits.bytes, &arguments, input.into_bytes())?;
        if answer.code == Some(0) {
            return Ok(Fetched::All);
        }
        let error = self.git.unless_too_old(self.git.failure(&answer));
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

    /// git's output; `arguments` must be of a verb that opens no connection.
    fn demand<A: AsRef<OsStr>>(&self, arguments: &[A], input: Vec<u8>) -> Result<Vec<u8>> {
        self.git.refuse_failure(self.git.ask_with(arguments, input)?).map(|answer| answer.out)
    }
}

/// The limits of a fetch.
#[derive(Clone, Copy, Debug)]
pub struct FetchLimits {
    /// The largest file that it may write, e.g. a pack.
    pub bytes: u64,
    /// Whether to hide the local objects from the server, so that it sends everything.
    pub anew: bool,
}

/// The result of a fetch.
#[derive(Debug)]
pub enum Fetched {
    /// Everything arrived.
    All,
    /// Something is missing, for this reason: one bad ref is enough, or one id that the server refuses.
    NotAll(Error),
}

fn fetch_arguments(limits: FetchLimits) -> Vec<&'static str> {
    let mut arguments = if limits.anew { vec!["-c", "fetch.negotiationAlgorithm=noop"] } else { Vec::new() };
    // without --refmap= the user's configured refspecs would write refs here
    arguments.extend(["fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"]);
    arguments.extend(["--no-prune", "--no-recurse-submodules", "--refmap=", "--no-write-commit-graph"]);
    arguments.extend(["--stdin", "--", carried::REMOTE]);
    arguments
}

/// Whether a fetch failed because of this machine. Then the remote is not to blame, and asking another one is useless.
fn is_ours(complaint: &[u8]) -> bool {
    let said_there = |line: &&[u8]| line.starts_with(b"remote: ");
    complaint.lines().filter(|line| !said_there(line)).any(|line| OURS.iter().any(|reason| line.contains_str(reason)))
}

/// The [`PROTOCOLS`] that neither the user's environment nor the configuration forbids. git checks neither of them if it
/// gets a list of allowed protocols.
fn allowed_protocols(environment: &[(OsString, OsString)], config: &ScopedConfig) -> Vec<&'static str> {
    let listed = environment.iter().find(|(name, _)| name == "GIT_ALLOW_PROTOCOL").map(|(_, value)| value);
    let listed = listed.map(|value| value.to_string_lossy().into_owned());
    let in_list = |protocol: &str| listed.as_ref().is_none_or(|list| list.split(':').any(|word| word == protocol));
    let is_never = |protocol: &str| {
        let own = config.whole.get(&format!("protocol.{protocol}.allow"));
        own.or_else(|| config.whole.get("protocol.allow")).is_some_and(|value| value == "never")
    };
    PROTOCOLS.into_iter().filter(|protocol| in_list(protocol) && !is_never(protocol)).collect()
}

fn is_passed(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    PASSED.iter().any(|(_, passed)| passed.contains(&name))
        || PASSED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || PROXIES.iter().any(|proxy| *proxy == name || proxy.to_ascii_lowercase() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The variables that git gets from this environment and configuration.
    fn seen(environment: &[(&str, &str)], config: &str, terminal: bool) -> Vec<(String, String)> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let given = environment.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let environment: Vec<(OsString, OsString)> = given.chain([("PATH".into(), path)]).collect();
        let whole = super::super::GitConfig::parse(format!("remote.o.url\nu\0{config}").as_bytes());
        let config = ScopedConfig { whole, ..ScopedConfig::default() };
        let (dir, git_dir) = (Path::new("/"), Path::new("/ours"));
        let door = NetworkDoor::open(&environment, dir, &config, git_dir, "o", terminal).unwrap();
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
