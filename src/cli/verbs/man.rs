//! `man`: the manual page.

use crate::cli::args::command;
use crate::cli::{Exit, stdio};
use crate::error::{Error, Result};
use std::io;

/// Prints the manual page: one page for all verbs.
pub(super) fn man() -> Result<Exit> {
    let page = manual().map_err(|error| Error::fault(format!("cannot make the manual page: {error}")))?;
    stdio::print(page.as_bytes()).map(|()| Exit::CLEAN)
}

fn manual() -> io::Result<String> {
    let mut command = command();
    command.build();
    let mut page = Vec::new();
    let top = clap_mangen::Man::new(command.clone());
    top.render_title(&mut page)?;
    top.render_name_section(&mut page)?;
    top.render_synopsis_section(&mut page)?;
    top.render_description_section(&mut page)?;
    top.render_options_section(&mut page)?;
    top.render_extra_section(&mut page)?;
    let mut page = String::from_utf8_lossy(&page).into_owned();
    for verb in command.get_subcommands() {
        page += &verb_section(verb, "yatsu-hook")?;
    }
    Ok(page)
}

/// A verb as one section, followed by its subverbs. Its own sections are one level down.
fn verb_section(verb: &clap::Command, parent: &str) -> io::Result<String> {
    if verb.get_name() == "help" {
        return Ok(String::new());
    }
    let name = format!("{parent} {}", verb.get_name());
    // The options of every verb stand at the top of the page.
    let own = verb.clone().mut_args(|arg| if arg.is_global_set() { arg.hide(true) } else { arg });
    let man = clap_mangen::Man::new(own);
    let mut section = Vec::new();
    man.render_synopsis_section(&mut section)?;
    man.render_description_section(&mut section)?;
    man.render_options_section(&mut section)?;
    man.render_extra_section(&mut section)?;
    let section = String::from_utf8_lossy(&section).replace(".SH ", ".SS ");
    let mut text = format!(".SH \"{}\"\n{section}", name.to_uppercase());
    for verb in verb.get_subcommands() {
        text += &verb_section(verb, &name)?;
    }
    Ok(text)
}
