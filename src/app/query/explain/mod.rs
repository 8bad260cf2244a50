//! What a word means here: a rule is explained by [`crate::rules`]; keys, files and topics here. A word in, its text out.

mod file;
mod keys;
mod topics;

pub(crate) use file::explain_file;
pub(crate) use keys::{Key, key, key_names};
pub(crate) use topics::{topic, topic_names};
