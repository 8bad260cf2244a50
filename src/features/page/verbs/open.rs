//! `show --open`: opens the page of a node, to look at its evidence now.

use crate::cli::call::Call;
use crate::cli::{Exit, stdio};
use crate::error::{Error, Result};
use crate::features::page::judge::page::PageRequest;
use crate::features::page::verbs::report::made;
use crate::repo::open::env::Env;
use crate::repo::program::viewer;
use crate::store::page::write_view;
use crate::store::signals;
use std::io::IsTerminal;

/// The largest page in bytes. It may be large because it stays on this machine.
const MAX_SIZE: usize = 20_000_000;

/// Variables that mean that no user sits at this machine, or that no window can open for a remote user.
const AWAY: [&str; 4] = ["CI", "SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"];

/// Writes the page, prints its path, and opens it with the desktop's program.
pub(crate) fn open(call: Call<'_>, node: Option<&str>) -> Result<Exit> {
    if call.is_machine() {
        return Err(Error::usage("--open prints the path of a page").hint("leave out --format json, or --open"));
    }
    signals::install()?;
    let repo = call.repo()?;
    let request = PageRequest {
        nodes: vec![node.unwrap_or(".").to_owned()],
        here: call.standing(&repo),
        ..PageRequest::default()
    };
    let page = call.patiently(|| made(&repo, &request, MAX_SIZE))?.1;
    let path = write_view(&repo.common_dir, page.as_bytes())?;
    let mut line = path.as_os_str().as_encoded_bytes().to_vec();
    line.push(b'\n');
    stdio::print(&line)?;
    let is_away = AWAY.iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    if std::io::stdout().is_terminal()
        && !is_away
        && let Some(program) = viewer::find(&Env::from_process().all, &repo)
    {
        viewer::start(&program, &path)?;
    }
    Ok(Exit::CLEAN)
}
