//! `clean`: collects evidence that no reading names.

use super::nodes;
use crate::app::progress::ProgressStep;
use crate::app::upkeep::clean as collecting;
use crate::app::upkeep::clean::references::References;
use crate::app::upkeep::clean::{CleanRequest, Keep};
use crate::cli::args::record::CleanArgs;
use crate::cli::call::Call;
use crate::cli::extra::{self, CopiesQuestion, Extra, ProvesCopies};
use crate::cli::progress::Progress;
use crate::cli::{Exit, clock};
use crate::error::{Error, Result};
use crate::model::node::is_newer;
use crate::repo::Repo;
use crate::store::signals;
use crate::store::sweep::DEFAULT_GRACE_DAYS;

pub(super) fn clean(call: Call<'_>, args: &CleanArgs) -> Result<Exit> {
    signals::install()?;
    let repo = call.repo()?;
    refuse_bare(&repo)?;
    let nodes = nodes(&repo)?;
    let store = call.store(&repo).of_newer_generation(is_newer(&nodes));
    if args.undo {
        return Ok(call.hand_over(&collecting::undo(&store)?, Exit::CLEAN));
    }
    let copies = if args.shared { Some(copies()?) } else { None };
    if let Some(copies) = copies
        && let Some(exit) = (copies.instead)(call, &repo)?
    {
        return Ok(exit);
    }
    let progress = Progress::start(call.global, ProgressStep::Work("looking for references"));
    let tell = |step| progress.iter().for_each(|progress| progress.step(step));
    let (terminal, now) = (call.can_ask(), clock::now());
    let grace_days = args.grace.unwrap_or(DEFAULT_GRACE_DAYS);
    let asked = CopiesQuestion { repo: &repo, store: &store, nodes: &nodes, tell: &tell, terminal, now, grace_days };
    let shared = copies.map(|copies| (copies.proven)(&asked)).transpose()?;
    let keeps = extra::all(|extra| if let Extra::KeepsEvidence(keep) = extra { Some(*keep) } else { None });
    let request = CleanRequest { shared, keeps, ..request(args) };
    let cleaned = collecting::clean(&store, &repo.git_dir, &References::of(&repo)?, &nodes, &request)?;
    drop(progress);
    Ok(call.hand_over(&cleaned, Exit::CLEAN))
}

/// The feature that knows copies elsewhere.
fn copies() -> Result<&'static ProvesCopies> {
    let proves = extra::first(|extra| if let Extra::ProvesCopies(proves) = extra { Some(proves) } else { None });
    proves.ok_or_else(|| {
        Error::usage("this program shares nothing").hint("without what a remote has: leave out --shared")
    })
}

fn request(args: &CleanArgs) -> CleanRequest {
    let keep = match (args.keep_latest, args.all) {
        (true, _) => Keep::Latest,
        (_, true) => Keep::Nothing,
        _ => Keep::Named,
    };
    let grace_days = args.grace.unwrap_or(DEFAULT_GRACE_DAYS);
    CleanRequest {
        keep,
        shared: None,
        keeps: Vec::new(),
        dry_run: args.dry_run,
        grace_days,
        now_millis: clock::now().millis,
    }
}

fn refuse_bare(repo: &Repo) -> Result<()> {
    match repo.work_dir {
        Some(_) => Ok(()),
        None => Err(Error::refused("a bare repository has no work tree, and evidence is collected from one")
            .hint("run this in a linked worktree of this repository: git worktree add DIR")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{self, Verb};

    #[test]
    fn what_is_kept_by_default_is_named_or_young() {
        for (line, expected) in [
            ("clean", (Keep::Named, 14, false)),
            ("clean --keep-latest --dry-run", (Keep::Latest, 14, true)),
            ("clean --all --grace 0", (Keep::Nothing, 0, false)),
        ] {
            let words: Vec<_> = line.split_whitespace().map(Into::into).collect();
            let Verb::Clean(args) = args::parse(&words).unwrap().verb else { panic!("{line}") };
            let asked = request(&args);
            assert_eq!((asked.keep, asked.grace_days, asked.dry_run), expected, "{line}");
        }
    }
}
