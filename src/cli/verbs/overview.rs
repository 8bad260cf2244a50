//! The program without a verb, at a terminal: the score and the next step; without scenarios the help and how to begin.

use crate::app::query::ls::{ListFilter, ls};
use crate::cli::args;
use crate::cli::call::Call;
use crate::cli::emit::{self, VerbKind};
use crate::cli::extra::{self, Extra};
use crate::cli::global::{Global, Stream};
use crate::cli::{Exit, stdio};
use crate::error::Result;
use crate::report::score::write_tally;
use crate::tree::path::RepoPath;
use std::io::IsTerminal;
use std::path::Path;

/// Variables that git and the hook frameworks set for a hook. Every hook of git has `GIT_EXEC_PATH`.
const HOOK_VARIABLES: [&str; 9] =
    ["GIT_DIR", "GIT_EXEC_PATH", "GIT_INDEX_FILE", "GIT_PREFIX", "HUSKY", "LEFTHOOK", "PRE_COMMIT", "PREK", "CI"];

/// Whether a person called the program. A hook that lost its verb must fail, because exit code 0 would let every commit
/// pass.
pub(in crate::cli) fn is_wanted() -> bool {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    is_terminal && HOOK_VARIABLES.iter().all(|name| std::env::var_os(name).is_none())
}

pub(in crate::cli) fn overview() -> Exit {
    let (global, kind) = (Global::default(), VerbKind::default());
    let call = Call { dir: Path::new("."), kind, global: &global };
    emit::end(look(call), kind, &global)
}

/// Whether a repository may be around `here`. Outside of a repository there is no score, which is no error.
fn is_inside(here: &Path) -> bool {
    here.ancestors().any(|dir| dir.join(".git").exists() || dir.join("HEAD").exists())
}

fn look(call: Call<'_>) -> Result<Exit> {
    let (rows, governed) = match is_inside(&call.here()?) {
        true => {
            let repo = call.repo()?;
            let listed = call.patiently(|| ls(&repo, ListFilter::Any, &[], &[], &RepoPath::root()))?;
            (listed.rows, listed.governed)
        }
        false => (Vec::new(), None),
    };
    if rows.is_empty() {
        let how = "begin: yatsu-hook new NODE --code PATH, then yatsu-hook install\n";
        return stdio::print(format!("{}\n{how}", args::first_page()).as_bytes()).map(|()| Exit::CLEAN);
    }
    let style = call.global.style(Stream::Out);
    call.answer(|out| write_tally(&rows, governed, &style, out))?;
    let next = extra::first(|extra| if let Extra::SaysNext(next) = extra { Some(next) } else { None });
    next.map_or(Ok(Exit::CLEAN), |next| next(call))
}
