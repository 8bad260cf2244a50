//! The only code that starts `ssh-keygen`. A file and a key in, a signature or a verdict about one out. Neither the tree nor
//! git's configuration can name another program: `gpg.ssh.program` of a `.git/config` may be a stranger's.

mod words;

use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::repo::program::run::{Answer, Errors, Limits, Running};
use crate::repo::program::search_path::SearchPath;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const NAME: &str = "ssh-keygen";
/// How long one run may take: verifying costs milliseconds, signing may wait for a touch or a password.
const VERIFYING: Duration = Duration::from_secs(10);
const SIGNING: Duration = Duration::from_secs(120);
/// Bytes of output of a run.
const MAX_OUTPUT: u64 = 1 << 20;
/// Variables that only signing gets: where the agent listens, and how to ask for a password.
const FOR_SIGNING: [&str; 6] =
    ["SSH_AUTH_SOCK", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "DISPLAY", "WAYLAND_DISPLAY", "HOME"];

/// The program, ready to run.
#[derive(Debug)]
pub(crate) struct SshKeygen {
    program: PathBuf,
    environment: Vec<(OsString, OsString)>,
    for_signing: Vec<(OsString, OsString)>,
}

/// The files of one verification, all in a private directory.
pub(crate) struct KeyFiles<'f> {
    /// The keys that may sign, as allowed signers.
    pub(crate) judges: &'f Path,
    /// The revoked keys, if there are any.
    pub(crate) revoked: Option<&'f Path>,
    /// The armoured signature.
    pub(crate) signature: &'f Path,
}

impl SshKeygen {
    /// Finds the program in the entries of `PATH` outside of the repository: see [`SearchPath`].
    ///
    /// # Errors
    /// Unchecked if it is not installed.
    pub(crate) fn locate(repo: &Repo) -> Result<Self> {
        let environment = &repo.env.all;
        let search = SearchPath::of(environment, repo);
        let program = search.program(NAME).ok_or_else(|| {
            Error::unchecked("ssh-keygen was not found in PATH, and only it can sign and verify")
                .hint("install OpenSSH 8.8 or newer, for example: apt-get install openssh-client")
        })?;
        let set = [("LC_ALL", "C"), ("TZ", "UTC")].map(|(name, value)| (name.into(), value.into()));
        let environment: Vec<_> = set.into_iter().chain([("PATH".into(), search.variable())]).collect();
        let is_for_signing = |name: &OsString| FOR_SIGNING.iter().any(|known| name == known);
        let for_signing = repo.env.all.iter().filter(|(name, _)| is_for_signing(name)).cloned().collect();
        Ok(Self { program, environment, for_signing })
    }

    /// Whether `principal` signed `message` with a key that was valid at `time` and is not revoked.
    pub(crate) fn verify(
        &self,
        files: &KeyFiles<'_>,
        principal: &str,
        time: &str,
        namespace: &str,
        message: &[u8],
    ) -> Result<bool> {
        let time = format!("-Overify-time={time}");
        let mut arguments = options(&["-Y", "verify", &time, "-n", namespace, "-I", principal, "-f"]);
        arguments.extend([files.judges.as_os_str(), "-s".as_ref(), files.signature.as_os_str()]);
        arguments.extend(files.revoked.iter().flat_map(|revoked| [OsStr::new("-r"), revoked.as_os_str()]));
        let answer = self.verifying(&arguments, message.to_vec())?;
        words::verified(&answer, namespace, files.judges).ok_or_else(|| unanswered(&answer))
    }

    /// Whether some key, known or not, signed `message`.
    pub(crate) fn is_made_by_a_key(&self, signature: &Path, namespace: &str, message: &[u8]) -> Result<bool> {
        let mut arguments = options(&["-Y", "check-novalidate", "-n", namespace, "-s"]);
        arguments.push(signature.as_os_str());
        let answer = self.verifying(&arguments, message.to_vec())?;
        words::verified(&answer, namespace, Path::new("")).ok_or_else(|| unanswered(&answer))
    }

    /// The armoured signature of `message` by the key in `key`: a private key, or a public one with the private half in the
    /// agent.
    ///
    /// # Errors
    /// Unchecked if it cannot sign: there is no such key, the password is wrong, the agent does not have it.
    pub(crate) fn sign(&self, key: &Path, namespace: &str, message: Vec<u8>, terminal: bool) -> Result<Vec<u8>> {
        let mut arguments = options(&["-Y", "sign", "-n", namespace, "-f"]);
        arguments.push(key.as_os_str());
        let mut command = self.command(&arguments);
        command.envs(self.for_signing.iter().map(|(name, value)| (name, value)));
        let limits = Limits { time: SIGNING, output: MAX_OUTPUT, terminal, ..Limits::default() };
        let answer =
            Running::spawn(command, Errors::Apart, limits, format!("{NAME} -Y sign"))?.collect(Some(message))?;
        if answer.code == Some(0) {
            return Ok(answer.out);
        }
        Err(Error::unchecked(format!("{NAME} could not sign with {}: {}", key.display(), answer.quoted()))
            .hint("look whether the key is there, and in the agent: ssh-add -l"))
    }

    fn verifying(&self, arguments: &[&OsStr], message: Vec<u8>) -> Result<Answer> {
        let limits = Limits { time: VERIFYING, output: MAX_OUTPUT, ..Limits::default() };
        Running::spawn(self.command(arguments), Errors::Apart, limits, NAME.to_owned())?.collect(Some(message))
    }

    fn command(&self, arguments: &[&OsStr]) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir("/").env_clear().envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.args(arguments).stdin(Stdio::piped());
        command
    }
}

/// The error for a run that neither confirmed nor denied: it crashed, was killed, or is another program or version.
fn unanswered(answer: &Answer) -> Error {
    let how = answer.code.map_or("a signal ended it".to_owned(), |code| format!("it ended with the code {code}"));
    Error::unchecked(format!("{NAME} gave no answer about a signature: {how}, and {}", said(answer)))
        .hint("look at it with ssh -V: OpenSSH 8.8 or newer is needed; then run the same command again")
}

/// What the program wrote, for messages.
fn said(answer: &Answer) -> String {
    if answer.err.is_empty() { "it gave no reason".to_owned() } else { format!("it said: {}", answer.quoted()) }
}

fn options<'w>(words: &[&'w str]) -> Vec<&'w OsStr> {
    words.iter().map(|word| OsStr::new(*word)).collect()
}
