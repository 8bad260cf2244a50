//! A plugin directory: the entries of Claude Code in the form that Claude Code and Codex install by one command. The
//! project ships the same directory (`packaging/agent-plugin`).

use crate::error::{Error, Refusal, Result};
use crate::features::agents::model::harness::Harness;
use crate::features::agents::model::harness::settings::PLUGIN_COMMAND;
use crate::features::agents::model::json_edit::{NewJson, inserted, insertions};
use crate::store::scaffold;
use crate::tree::path::RepoPath;
use std::path::Path;

const ABOUT: &str = "Tells a coding agent which scenarios its edits made stale, and asks once before it stops";

/// The files of the plugin, with their paths in it.
pub fn files() -> Result<Vec<(&'static str, Vec<u8>)>> {
    let text = |text: &str| NewJson::Text(text.to_owned());
    let plugin =
        [("name", text("yatsu-hook")), ("version", text(env!("CARGO_PKG_VERSION"))), ("description", text(ABOUT))];
    let made = |members: &[(&'static str, NewJson)]| match insertions(b"", members) {
        Ok(found) => Ok(inserted(b"", &found)),
        Err(fault) => Err(Error::fault(format!("the plugin {}", fault.message))),
    };
    Ok(vec![
        (".claude-plugin/plugin.json", made(&plugin)?),
        (".codex-plugin/plugin.json", made(&plugin)?),
        ("hooks/hooks.json", made(&Harness::Claude.additions(&[("command", PLUGIN_COMMAND.to_owned())]))?),
    ])
}

/// Writes the plugin to `dir`, which must not exist: all files or none. Returns the paths in it.
///
/// # Errors
/// Refused if `dir` is there; unchecked if it cannot be written.
pub(crate) fn write(dir: &Path, dry_run: bool) -> Result<Vec<&'static str>> {
    let (Some(above), Some(name)) = (dir.parent(), dir.file_name()) else {
        return Err(Error::usage(format!("{} is no name of a new directory", dir.display()))
            .hint("name a directory that is not there yet"));
    };
    if dir.symlink_metadata().is_ok() {
        return Err(Error::refused(format!("{} is there already", dir.display()))
            .because(Refusal::Exists)
            .hint("name a directory that is not there yet"));
    }
    let files = files()?;
    let top = RepoPath::from_git(name.as_encoded_bytes());
    let placed: Vec<(RepoPath, Vec<u8>)> = files
        .iter()
        .map(|(path, bytes)| (path.split('/').fold(top.clone(), |at, part| at.child(part.as_bytes())), bytes.clone()))
        .collect();
    if !dry_run {
        scaffold::create(above, &placed)?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}
