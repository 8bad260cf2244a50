//! The keys that may sign: the file of judges in git's allowed-signers format, revoked keys, and the persons behind the
//! keys. Bytes in; keys, persons and every unusable line out. Verifies nothing: `ssh-keygen` does.

mod judges;
mod keys_file;
mod mailmap;
mod persons;
mod ssh;
#[cfg(test)]
mod tests;

pub(crate) use judges::Admission;
pub use judges::{BadLine, Judges, Revoked};
pub(crate) use keys_file::keys_file;
pub(crate) use mailmap::Mailmap;
pub(crate) use persons::{Person, Persons};
pub(crate) use ssh::PublicKey;
pub use ssh::SshSignature;

/// The namespace of every signature of this program: a signature for another use of the key proves nothing here.
pub(crate) const NAMESPACE: &str = "yatsu-hook";
