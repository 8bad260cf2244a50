//! `patch`: the state of branches, and the decisions about them.

use crate::app::progress::ProgressStep;
use crate::cli::args::groups::Heading;
use crate::cli::call::Call;
use crate::cli::feature::FeatureArgs;
use crate::cli::filing::{WrittenLine, node_at};
use crate::cli::global::Stream;
use crate::cli::progress::Progress;
use crate::cli::verbs::{complete, named};
use crate::cli::{Exit, clock, stdio};
use crate::error::Result;
use crate::features::patches::judge::decide::{DecidedPatch, PatchDecisionRequest, decide};
use crate::features::patches::judge::patches::{Patches, row};
use crate::features::patches::model::answer::{PatchDecisionRow, PatchRow};
use crate::features::patches::print as patch_text;
use crate::features::patches::verbs::patch_args::{PatchArgs, PatchDecisionArgs};
use crate::model::ledger::PatchDecisionKind;
use crate::repo::Repo;
use crate::store::signals;

impl FeatureArgs for PatchArgs {
    const NAME: &'static str = "patch";
    const AFTER: &'static str = "goal";
    const LISTED: (Heading, u16) = (Heading::Teams, 30);

    fn files(&self) -> bool {
        matches!(self, Self::Approve(_) | Self::Reject(_))
    }

    fn run(self, call: Call<'_>) -> Result<Exit> {
        let repo = call.repo()?;
        match self {
            Self::Ls => ls(call, &repo),
            Self::Show { branch } => show(call, &repo, branch.as_deref()),
            Self::Approve(args) => record(call, &repo, PatchDecisionKind::Approve, args),
            Self::Reject(args) => record(call, &repo, PatchDecisionKind::Reject, args),
        }
    }
}

fn ls(call: Call<'_>, repo: &Repo) -> Result<Exit> {
    let progress = Progress::start(call.global, ProgressStep::Work("looking at branches"));
    let patches = Patches::demand(repo)?;
    let tell = |step| progress.iter().for_each(|progress| progress.step(step));
    let rows: Vec<PatchRow> = patches.all(&tell)?.iter().map(row).collect();
    drop(progress);
    let style = call.global.style(Stream::Out);
    call.answer(|out| match call.is_machine() {
        true => patch_text::write_json(&rows, None, out),
        false => patch_text::write_list(&rows, &patches.main.name, &style, out),
    })
}

fn show(call: Call<'_>, repo: &Repo, branch: Option<&str>) -> Result<Exit> {
    let row = row(&Patches::demand(repo)?.named(branch)?);
    let style = call.global.style(Stream::Out);
    call.answer(|out| match call.is_machine() {
        true => patch_text::write_json(std::slice::from_ref(&row), None, out),
        false => patch_text::write_one(&row, &style, out),
    })
}

fn record(call: Call<'_>, repo: &Repo, kind: PatchDecisionKind, args: PatchDecisionArgs) -> Result<Exit> {
    signals::install()?;
    let by = named(repo, args.by, "--by")?;
    let request = PatchDecisionRequest { kind, branch: args.branch, reason: args.reason, by, now: clock::now() };
    let (site, store) = (call.site(repo)?, call.store(repo));
    let done = decide(repo, &site, &store, &request)?;
    let (made, row) = (receipt(&done, &request), row(&done.patch));
    let exit = stdio::print_receipt(Exit::CLEAN, |out| match call.is_machine() {
        true => patch_text::write_json(std::slice::from_ref(&row), Some(&made), out),
        false => call.say(out, |text| patch_text::write_decision(&made, text)),
    });
    let written = done.lines.iter();
    let written = written.map(|line| WrittenLine { node: node_at(&line.node), scenario: None, ts: line.at.ts });
    Ok(complete(call, repo, &args.written, &written.collect::<Vec<_>>(), exit))
}

fn receipt(done: &DecidedPatch, request: &PatchDecisionRequest) -> PatchDecisionRow {
    let latest = done.lines.iter().max_by_key(|line| line.at.ts);
    PatchDecisionRow {
        decision: request.kind.as_str(),
        is_new: done.is_new,
        branch: done.patch.facts.branch.clone(),
        commit: done.patch.facts.tip.to_string(),
        ledgers: done.lines.iter().map(|line| line.at.ledger.to_string()).collect(),
        reason: latest.map_or_else(|| request.reason.clone(), |line| line.reason.clone()),
        by: latest.map_or_else(|| request.by.clone(), |line| line.by.clone()),
        ts: latest.map_or(request.now, |line| line.at.ts).to_string(),
    }
}
