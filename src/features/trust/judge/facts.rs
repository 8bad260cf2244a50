//! What is known of trust about a state and about a change, for the rules: parts of [`crate::engine::facts::Facts`] and of the
//! change.

use crate::tree::path::RepoPath;

/// The scenarios without a fresh pass of the grade that `yatsu.trust` asks for: of a state without a base all of them, of a
/// change the touched ones.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AllUntrusted(pub(crate) Vec<Untrusted>);

/// A scenario without a fresh pass of the grade that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Untrusted {
    /// The directory of the node.
    pub(crate) dir: RepoPath,
    /// The name of the scenario.
    pub(crate) name: String,
    /// Whether a signature is missing.
    pub(crate) by_keys: bool,
    /// What is asked for, in words: `an independent pass`.
    pub(crate) need: String,
    /// The reason, as the end of a sentence.
    pub(crate) why: String,
}

/// The added signatures that do not hold.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WrongSignatures(pub(crate) Vec<WrongSignature>);

/// An added signature that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrongSignature {
    /// Its place among the lines that the change adds.
    pub(crate) at: usize,
    /// Whether no key made it, so that the line is false whatever the keys are.
    pub(crate) is_broken: bool,
    /// The reason, as the end of a sentence about the signature.
    pub(crate) why: String,
}

/// How a change lets more count than before.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LoweredTrust {
    /// The scenarios under a policy whose `test` names another command or another test than before.
    pub(crate) other_tests: Vec<OtherTest>,
    /// How it lets more keys sign, one sentence each.
    pub(crate) keys: Vec<String>,
}

/// A scenario whose `test` names another command or another test than before, and not only the new path of a renamed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OtherTest {
    /// The directory of the node.
    pub(crate) dir: RepoPath,
    /// The name of the scenario.
    pub(crate) scenario: String,
    /// The key of `test`: `command` or `name`.
    pub(crate) key: &'static str,
    pub(crate) was: String,
    /// `None` if the key is gone.
    pub(crate) is: Option<String>,
}
