//! What `ssh-keygen` can tell about one signature by the keys of a base. Plain data: the callers ask the program, and decide
//! what follows.

use crate::features::trust::model::keys::PublicKey;
use std::rc::Rc;

/// What is known about one signature, whatever it signs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Testimony {
    /// No key made it. The reason is the end of a sentence about the signature.
    Broken(String),
    /// A key made it that the base does not admit. The reason is the end of a sentence about the key.
    Unknown(PublicKey, String),
    /// A key of the base made it.
    Known(Rc<Signer>),
}

/// The owner of a key, as the base names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signer {
    /// The names and patterns that the key stands for, sorted.
    pub(crate) principals: Vec<String>,
    pub(crate) key: PublicKey,
}
