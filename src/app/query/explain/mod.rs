//! What a word means here: a rule is explained by [`crate::rules`]; keys, files and topics here. A word in, its text out.

mod file;
mod keys;
mod topics;
mod words;

pub(crate) use file::explain_file;
pub(crate) use keys::{Key, key, key_names, key_that_ends, keys_by_place, our_file};
pub(crate) use topics::{topic, topic_names};
pub(crate) use words::{word, word_names};
