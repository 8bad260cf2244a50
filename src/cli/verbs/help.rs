//! `help`: the page of a verb, or of a group of verbs.

use crate::cli::{Exit, args, misuse, stdio};
use crate::error::Result;

pub(super) fn help(words: &[String]) -> Result<Exit> {
    let page = args::help(words).ok_or_else(|| misuse::no_verb(words))?;
    stdio::print(page.as_bytes()).map(|()| Exit::CLEAN)
}
