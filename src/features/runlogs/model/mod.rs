//! Run logs as data: a JSONL file in which a writer records the events of a run. Contains profiles ([`profile`], three of
//! them [`builtin`]), physical lines and their events ([`line`], [`event`]), the spelling of times ([`moment`]), and the
//! codes of all violations ([`code`]). Input: bytes. Output: values and every fault. Does not judge a whole log
//! (`judge::engine` does), and uses no git and no disk.

pub mod builtin;
pub mod code;
pub mod event;
pub mod line;
pub(crate) mod moment;
pub(crate) mod place;
pub mod profile;
mod profile_read;
pub(crate) mod receipts;
pub(crate) mod settings;
pub(crate) mod weaker;
pub(crate) mod write;

pub use profile_read::parse as parse_profile;
