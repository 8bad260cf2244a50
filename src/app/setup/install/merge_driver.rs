//! The merge driver for ledgers: `merge.yatsu-ledger.*` in the repository's configuration, and the attribute in
//! `info/attributes` of the common directory, so that nothing tracked is written. A team that wants it for every clone
//! commits the two attribute lines in `.gitattributes` instead; the configuration is per clone either way.

use super::git::{GitSetup, values};
use super::{GitScope, InstallPlan, InstallStep, shim};
use crate::error::{Error, Result};
use crate::names;
use bstr::ByteSlice;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const SECTION: &str = "merge.yatsu-ledger";
const NAME: &str = "merge.yatsu-ledger.name";
const DRIVER: &str = "merge.yatsu-ledger.driver";
const TITLE: &str = "yatsu ledgers: both sides' readings";

/// The attribute lines, with the line that marks them as ours.
fn block() -> String {
    let [wide, narrow] = names::LEDGER_PATTERNS;
    format!(
        "# yatsu-hook merge driver: `yatsu-hook uninstall` removes these three lines\n\
         {wide} merge=yatsu-ledger\n\
         {narrow} merge=yatsu-ledger\n"
    )
}

/// Plans what is still missing.
pub(super) fn install(facts: &GitSetup, program: &str, plan: &mut InstallPlan) -> Result<()> {
    let driver = shim::merge_driver(program);
    for (key, value) in [(NAME, TITLE), (DRIVER, driver.as_str())] {
        if values(&facts.local, key) != [value] {
            plan.steps.push(InstallStep::Set { scope: GitScope::Local, key: key.to_owned(), value: value.to_owned() });
        }
    }
    let file = attributes(&facts.common);
    let mut text = read(&file)?.unwrap_or_default();
    if position(&text).is_none() {
        if text.last().is_some_and(|&byte| byte != b'\n') {
            text.push(b'\n');
        }
        // At the end, because later lines win.
        text.extend_from_slice(block().as_bytes());
        plan.steps.push(InstallStep::Write { mode: mode(&file), path: file, content: text });
    }
    Ok(())
}

/// Plans the removal of all of it.
pub(super) fn remove(facts: &GitSetup, plan: &mut InstallPlan) -> Result<()> {
    if facts.local.iter().any(|setting| setting.key.starts_with("merge.yatsu-ledger.")) {
        plan.steps.push(InstallStep::RemoveSection { scope: GitScope::Local, section: SECTION.to_owned() });
    }
    let file = attributes(&facts.common);
    let Some(mut text) = read(&file)? else { return Ok(()) };
    let Some(start) = position(&text) else { return Ok(()) };
    text.drain(start..start + block().len());
    plan.steps.push(match text.is_empty() {
        true => InstallStep::Remove(file),
        false => InstallStep::Write { mode: mode(&file), path: file, content: text },
    });
    Ok(())
}

fn attributes(common: &Path) -> PathBuf {
    common.join("info/attributes")
}

fn position(text: &[u8]) -> Option<usize> {
    text.find(block())
}

fn read(file: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::refused(format!("{} cannot be read: {error}", file.display()))
            .hint("check who owns it and that it is a file")),
    }
}

fn mode(file: &Path) -> u32 {
    fs::metadata(file).map_or(0o644, |metadata| metadata.permissions().mode() & 0o777)
}
