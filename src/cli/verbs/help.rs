//! `help`: the page of a verb, or of a group of verbs.

use crate::cli::args;
use crate::cli::{Exit, stdio};
use crate::error::{Error, Result};
use crate::text::escape::echo;

pub(super) fn help(words: &[String]) -> Result<Exit> {
    let page = args::help(words).ok_or_else(|| {
        Error::usage(format!("there is no verb `{}`", echo(&words.join(" ")))).hint("all verbs: yatsu-hook --help")
    })?;
    stdio::print(page.as_bytes()).map(|()| Exit::CLEAN)
}
