//! `export in-toto --sign`: the signatures of envelopes. Writes nothing.

use crate::error::Result;
use crate::features::trust::judge::key::{HeldKey, SigningKey};
use crate::repo::Repo;

/// The signature of an envelope.
#[derive(Clone, Debug)]
pub(crate) struct EnvelopeSignature {
    /// The fingerprint of the key.
    pub(crate) keyid: String,
    /// The base64 of the signature in OpenSSH's format.
    pub(crate) sig: String,
}

/// The signatures of `messages`, in their order. `terminal` says whether the key's owner can be asked for a password.
///
/// # Errors
/// Unchecked if the key cannot sign, or if a signature does not verify.
pub(crate) fn signatures(
    repo: &Repo,
    key: &SigningKey,
    terminal: bool,
    messages: impl Iterator<Item = Vec<u8>>,
) -> Result<Vec<EnvelopeSignature>> {
    let key = HeldKey::new(repo, key, terminal)?;
    let sign = |message| {
        let made = key.sign_verified(message)?;
        Ok(EnvelopeSignature { keyid: made.key.fingerprint(), sig: made.sig })
    };
    messages.map(sign).collect()
}
