//! `share`: exchanges evidence with other machines.

use crate::app::progress::ProgressStep;
use crate::app::upkeep::clean::ProvenShared;
use crate::app::upkeep::clean::references::References;
use crate::app::upkeep::evidence::which;
use crate::cli::args::groups::Heading;
use crate::cli::call::Call;
use crate::cli::extra::{self, CopiesQuestion, Extra};
use crate::cli::feature::FeatureArgs;
use crate::cli::progress::Progress;
use crate::cli::verbs::{install, nodes};
use crate::cli::{Exit, clock, stdio};
use crate::error::Result;
use crate::features::sharing::judge as sharing;
use crate::features::sharing::judge::{CheckWish, OnWish, PushWish, SharingDesk};
use crate::features::sharing::model::place::SharePlace;
use crate::features::sharing::model::receipts::{ShareReceipt, ShareStep};
use crate::features::sharing::print as share_text;
use crate::features::sharing::verbs::cloud;
use crate::features::sharing::verbs::on_push;
use crate::features::sharing::verbs::share_args::{ShareArgs, ShareOnArgs, SharePushArgs, ShareVerbArgs};
use crate::model::node::is_newer;
use crate::repo::Repo;
use crate::repo::program::Git;
use crate::report;
use crate::store::signals;
use std::path::Path;

impl FeatureArgs for ShareVerbArgs {
    const NAME: &'static str = "share";
    const AFTER: &'static str = "evidence";
    const LISTED: (Heading, u16) = (Heading::Teams, 40);

    fn run(self, call: Call<'_>) -> Result<Exit> {
        share(call, self)
    }
}

fn share(call: Call<'_>, args: ShareVerbArgs) -> Result<Exit> {
    signals::install()?;
    let repo = call.repo()?;
    if cloud::is_needed(asked_place(&repo, args.step.as_ref())?.as_ref()) {
        return cloud::run_instead(call);
    }
    if let Some(ShareArgs::Push(SharePushArgs { tips, .. })) = &args.step
        && !tips.is_empty()
    {
        on_push::send_here(call, &repo, tips.iter().copied().collect());
        return Ok(Exit::CLEAN);
    }
    let nodes = nodes(&repo)?;
    let store = call.store(&repo).of_newer_generation(is_newer(&nodes));
    let progress = Progress::start(call.global, ProgressStep::Work("looking at what readings name"));
    let tell = |step| progress.iter().for_each(|progress| progress.step(step));
    let (terminal, now) = (call.can_ask(), clock::now());
    let work = SharingDesk { repo: &repo, store: &store, nodes: &nodes, tell: &tell, terminal, now };
    let done = match args.step {
        None => sharing::state(&work),
        Some(ShareArgs::On(args)) => on(call, &work, &args),
        Some(ShareArgs::Off) => sharing::off(&work, &configuring(call, &repo)?),
        Some(ShareArgs::Push(args)) => push(&work, args),
        Some(ShareArgs::Get { words, all }) => sharing::get(&work, &words, all),
        Some(ShareArgs::Prune { before, dry_run }) => prune(call, &work, &before, dry_run),
        Some(ShareArgs::Drop { pieces, reason }) => sharing::drop_pieces(&work, &pieces, &reason),
        Some(ShareArgs::Check { heal, deep }) => sharing::check(&work, CheckWish { heal, deep }),
    };
    drop(progress);
    Ok(told(call, &done?))
}

/// `clean --shared`: runs it in the program with network code if the place is a bucket.
pub(crate) fn clean_instead(call: Call<'_>, repo: &Repo) -> Result<Option<Exit>> {
    let is_needed = cloud::is_needed(SharePlace::configured(repo.config()?)?.as_ref());
    if is_needed { cloud::run_instead(call).map(Some) } else { Ok(None) }
}

/// `clean --shared`: what the remote provably has.
pub(crate) fn proven(asked: &CopiesQuestion<'_>) -> Result<ProvenShared> {
    let CopiesQuestion { repo, store, nodes, tell, terminal, now, grace_days } = *asked;
    sharing::proven(&SharingDesk { repo, store, nodes, tell, terminal, now }, grace_days)
}

/// The place that this step connects to, as far as it is a valid one; `None` if it connects to none.
fn asked_place(repo: &Repo, step: Option<&ShareArgs>) -> Result<Option<SharePlace>> {
    Ok(match step {
        None | Some(ShareArgs::Off) => None,
        Some(ShareArgs::On(args)) => args.place.as_ref().and_then(|text| SharePlace::parse(text, Path::new("/")).ok()),
        Some(_) => SharePlace::configured(repo.config()?)?,
    })
}

fn on(call: Call<'_>, work: &SharingDesk<'_>, args: &ShareOnArgs) -> Result<ShareReceipt> {
    let wish = OnWish { place: args.place.clone(), here: call.here()?, branches: args.branches, dry_run: args.dry_run };
    sharing::on(work, &configuring(call, work.repo)?, &wish)
}

/// git, for writing the configuration of the opened repository. The git directory is given explicitly, because git may be
/// configured to ignore bare repositories.
fn configuring(call: Call<'_>, repo: &Repo) -> Result<Git> {
    Ok(install::setup(call)?.0.with_git_dir(&repo.git_dir))
}

fn push(work: &SharingDesk<'_>, args: SharePushArgs) -> Result<ShareReceipt> {
    let allow =
        args.allow.iter().map(|word| which(work.repo, work.store, work.nodes, word, None)).collect::<Result<_>>()?;
    sharing::push(work, &PushWish { all: args.all, tips: None, allow, dry_run: args.dry_run })
}

fn prune(call: Call<'_>, work: &SharingDesk<'_>, before: &str, dry_run: bool) -> Result<ShareReceipt> {
    let mut receipt = sharing::prune(work, &References::of(work.repo)?, before, dry_run)?;
    for prune in extra::all(|extra| if let Extra::PrunesRemote(prune) = extra { Some(prune) } else { None }) {
        receipt.notes.extend(prune(call, work.repo, work.store, dry_run)?);
    }
    Ok(receipt)
}

/// Prints the result. Pieces that were not sent or are missing make the exit code 1.
fn told(call: Call<'_>, receipt: &ShareReceipt) -> Exit {
    let is_setting = matches!(receipt.verb, ShareStep::State | ShareStep::On | ShareStep::Off);
    let exit = if receipt.left.is_empty() || is_setting { Exit::CLEAN } else { Exit::BLOCKED };
    let is_answer = receipt.dry_run || receipt.verb == ShareStep::State;
    let write = |out: &mut dyn std::io::Write| match call.is_machine() {
        true => report::write_json(receipt, out),
        false => {
            let mut text = Vec::new();
            share_text::write_human(receipt, &mut text)?;
            out.write_all(&call.global.drawn(text))
        }
    };
    if is_answer { stdio::print_made(exit, write) } else { stdio::print_receipt(exit, write) }
}
