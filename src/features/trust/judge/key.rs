//! The key that signs, ready for `ssh-keygen`.

use crate::error::{Error, Result};
use crate::features::trust::model::keys::{NAMESPACE, PublicKey, SshSignature};
use crate::repo::Repo;
use crate::repo::program::ssh_keygen::SshKeygen;
use crate::store::private_dir::PrivateDir;
use std::path::{Path, PathBuf};

/// The key that signs.
#[derive(Clone, Debug)]
pub(crate) enum SigningKey {
    /// A file with a private key, or with a public one that the agent has.
    File(PathBuf),
    /// A public key as text, which the agent has.
    Text(String),
}

/// The program and the key.
pub(super) struct HeldKey {
    program: SshKeygen,
    /// Where the key lies; a key that was given as text lies in `dir`.
    path: PathBuf,
    dir: PrivateDir,
    /// The public half, if it lies beside the private one.
    pub(super) public: Option<PublicKey>,
    /// Whether the key's owner can be asked for a password.
    terminal: bool,
}

/// A signature, and the key that made it.
pub(super) struct MadeSignature {
    /// The base64 of the signature in OpenSSH's format.
    pub(super) sig: String,
    pub(super) key: PublicKey,
}

impl HeldKey {
    /// # Errors
    /// Unchecked without `ssh-keygen`, or if the key cannot be handed over to it.
    pub(super) fn new(repo: &Repo, key: &SigningKey, terminal: bool) -> Result<Self> {
        let program = SshKeygen::locate(repo)?;
        let dir = PrivateDir::make(&repo.temporary_dir())?;
        let (path, public) = match key {
            SigningKey::File(path) => (path.clone(), public_half(path)),
            SigningKey::Text(text) => (dir.write("key.pub", format!("{text}\n").as_bytes())?, PublicKey::of_text(text)),
        };
        Ok(Self { program, path, dir, public, terminal })
    }

    /// Signs these bytes in the namespace of this program.
    ///
    /// # Errors
    /// Unchecked if the key cannot sign.
    pub(super) fn sign(&self, message: Vec<u8>) -> Result<MadeSignature> {
        let armour = self.program.sign(&self.path, NAMESPACE, message, self.terminal)?;
        let odd = || Error::unchecked("ssh-keygen printed no signature").hint("run ssh-keygen -Y sign yourself");
        let sig = SshSignature::unarmoured(&armour).ok_or_else(odd)?;
        let key = SshSignature::parse(&sig).ok_or_else(odd)?.key;
        Ok(MadeSignature { sig, key })
    }

    /// As [`Self::sign`], and verifies the signature.
    ///
    /// # Errors
    /// Unchecked if the key cannot sign, or if its signature does not verify.
    pub(super) fn sign_verified(&self, message: Vec<u8>) -> Result<MadeSignature> {
        let made = self.sign(message.clone())?;
        let name = format!("{}.sig", crate::model::ledger::LineHash::of(made.sig.as_bytes()));
        let file = self.dir.write_again(&name, SshSignature::armoured(&made.sig).as_bytes())?;
        if !self.program.is_made_by_a_key(&file, NAMESPACE, &message)? {
            return Err(
                Error::unchecked("the new signature does not verify").hint("nothing was printed; try another key")
            );
        }
        Ok(made)
    }
}

/// The public key in `path`, or in the file of this name with `.pub`.
fn public_half(path: &Path) -> Option<PublicKey> {
    let beside = PathBuf::from(format!("{}.pub", path.display()));
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let parsed = |text: String| PublicKey::of_text(text.lines().next().unwrap_or_default());
    read(path).and_then(parsed).or_else(|| read(&beside).and_then(parsed))
}
