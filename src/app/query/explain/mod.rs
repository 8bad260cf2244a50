//! `explain`: the text for a word. Keys, files, topics and glossary words are explained here, rules by [`crate::rules`].

mod file;
mod keys;
mod topics;
mod words;

pub(crate) use file::explain_file;
pub(crate) use keys::{Key, key, key_above, key_names, key_that_ends, keys_by_place, our_file};
pub(crate) use topics::{topic, topic_names};
pub(crate) use words::{word, word_names};
