//! `claim`: reserves the measuring of a scenario, a key or a path.

use crate::app::judge::snapshot;
use crate::app::progress::ProgressStep;
use crate::app::site::{Site, TypedScenario};
use crate::cli::args::groups::Heading;
use crate::cli::call::Call;
use crate::cli::feature::FeatureArgs;
use crate::cli::global::Verbosity;
use crate::cli::progress::Progress;
use crate::cli::{Exit, clock, stdio};
use crate::error::{Error, Refusal, Result};
use crate::features::claims::judge as claiming;
use crate::features::claims::judge::answer::item;
use crate::features::claims::judge::need::NeedRow;
use crate::features::claims::judge::needs::{needs, needs_at};
use crate::features::claims::judge::shared::{BoardPatience, RemoteLook, SharedBoard};
use crate::features::claims::judge::waive as waiving;
use crate::features::claims::judge::{
    ClaimOutcome, ClaimTarget, ClaimTerms, Claimant, Claiming, NodeNames, ScenarioTarget, shared,
};
use crate::features::claims::model::next_rows::NextRow;
use crate::features::claims::model::rows::ClaimRow;
use crate::features::claims::model::settings::ClaimLimits;
use crate::features::claims::model::{ClaimEvent, ClaimPath, ClaimSeries, ClaimToken};
use crate::features::claims::print::claim as claim_text;
use crate::features::claims::print::next::{passed_over, still_failing};
use crate::features::claims::verbs::claim_args::{
    ClaimArgs, ClaimantArgs, NextArgs, OtherArgs, ReleaseArgs, TakeArgs, WaiveArgs,
};
use crate::features::claims::verbs::values::token;
use crate::model::session::SessionHash;
use crate::model::workspace::{self, Outline};
use crate::repo::Repo;
use crate::store::{Store, signals};
use crate::text::shell;
use std::ffi::OsString;
use std::io::IsTerminal;

/// The default duration of a claim in milliseconds.
const TTL: i64 = 30 * 60_000;

impl FeatureArgs for ClaimArgs {
    const NAME: &'static str = "claim";
    const AFTER: &'static str = "eval";
    const LISTED: (Heading, u16) = (Heading::Teams, 10);

    fn files(&self) -> bool {
        matches!(self, Self::WaiveBudget(_))
    }

    fn run(self, call: Call<'_>) -> Result<Exit> {
        claim(call, self)
    }
}

fn claim(call: Call<'_>, args: ClaimArgs) -> Result<Exit> {
    let repo = call.repo()?;
    match args {
        ClaimArgs::Take(args) => take(call, &repo, args),
        ClaimArgs::Next(args) => take_next(call, &repo, args),
        ClaimArgs::Renew { token, ttl } => {
            signals::install()?;
            let (site, store) = (call.site(&repo)?, call.store(&repo));
            let board = shared::board_of(&repo, &store, token, patience())?;
            let mut claiming = Claiming::new(&site, &store, board, clock::now())?;
            Ok(tell(call, "renew", &claiming.renew(token, ttl.unwrap_or(TTL))?))
        }
        ClaimArgs::Release(args) => release(call, &repo, args),
        ClaimArgs::WaiveBudget(args) => waive(call, &repo, args),
        ClaimArgs::Ls { local } => {
            let rows = held(call, &repo, local)?;
            crate::cli::verbs::say_how(
                call,
                rows.is_empty(),
                "nothing is claimed; take what is next: yatsu-hook claim next",
            );
            call.answer(|out| match call.is_machine() {
                true => claim_text::write_json("ls", &rows, None, out),
                false => claim_text::write_held(&rows, out),
            })
        }
        ClaimArgs::Log { node, other } => log(call, &repo, node.as_deref(), &other),
    }
}

/// The held claims: from the journal, and from other machines where claims are shared.
fn held(call: Call<'_>, repo: &Repo, local: bool) -> Result<Vec<ClaimRow>> {
    let (config, names, store) = (crate::cli::verbs::config(repo)?, names(repo)?, call.store(repo));
    let terms = ClaimTerms { now: clock::now(), limits: config.of::<ClaimLimits>().clone() };
    let mut board = board(repo, &store, local)?;
    let progress =
        board.as_ref().and_then(|_| Progress::start(call.global, ProgressStep::Work("asking what is claimed")));
    let look = RemoteLook::of(&mut board, &terms).map_err(|error| error.hint(LS_LOCAL))?;
    drop(progress);
    look.odd().chunks(1).for_each(|odd| call.warn(odd));
    look.ahead(terms.now, &names).chunks(1).for_each(|ahead| call.warn(ahead));
    claiming::held(&repo.common_dir, &terms, &look, &names)
}

const LS_LOCAL: &str = "what this repository alone knows: `yatsu-hook claim ls --local`";

/// The board for shared claims, if git's configuration names one, and unless the claim is for this repository alone. While
/// it is open, other commands of this repository wait for their turn.
fn board(repo: &Repo, store: &Store, local: bool) -> Result<SharedBoard> {
    if local { Ok(None) } else { shared::board(repo, store, patience()) }
}

fn patience() -> BoardPatience {
    let terminal = std::io::stderr().is_terminal() && std::io::stdin().is_terminal();
    BoardPatience { within: None, terminal }
}

fn scenario(site: &dyn Site, node: Option<String>, scenario: Option<String>) -> Result<ScenarioTarget> {
    let (node, scenario) = TypedScenario { node, scenario }.apart(site)?.named(site)?;
    Ok(ScenarioTarget { node, scenario })
}

/// The typed key or path; `None` if a scenario is meant.
fn other(call: Call<'_>, repo: &Repo, other: &OtherArgs) -> Result<Option<ClaimSeries>> {
    let Some(typed) = &other.path else { return Ok(other.key.clone().map(ClaimSeries::Key)) };
    let path = call.in_repository(repo, typed)?;
    let unusable =
        |why| Error::usage(format!("the path {path} {why}")).hint("name a file, a folder or a glob: src/*.rs");
    ClaimPath::new(path.clone()).map(|path| Some(ClaimSeries::Path(path))).map_err(unusable)
}

/// Whether a claim is for this repository alone. A path is: its meaning depends on the files that are here.
fn stays_here(target: &ClaimTarget) -> bool {
    matches!(target, ClaimTarget::Other(ClaimSeries::Path(_)))
}

fn take(call: Call<'_>, repo: &Repo, args: TakeArgs) -> Result<Exit> {
    signals::install()?;
    refuse_two_forms(call, &args.claimant)?;
    let claimant = claimant(repo, &args.claimant)?;
    let (site, store) = (call.site(repo)?, call.store(repo));
    let target = match other(call, repo, &args.other)? {
        Some(series) => ClaimTarget::Other(series),
        None => ClaimTarget::Scenario(scenario(&site, args.node, args.scenario)?),
    };
    let board = board(repo, &store, args.claimant.local || stays_here(&target))?;
    let done = Claiming::new(&site, &store, board, claimant.now)?.take(&claimant, &target, args.force)?;
    // the claim exists now: its token must be printed even if the item to measure cannot be found
    let item = done.event.claim.series.scenario().and_then(|on| {
        needs_at(repo, on.node()).map(|needs| item(&needs, on.node(), on.name())).unwrap_or_else(|error| {
            call.warn(&[error.context("the text of the scenario cannot be shown").message]);
            None
        })
    });
    Given { call, verb: "take", export: args.claimant.export, item }.hand_out(repo, &site, &store, &done)
}

/// Refuses `--export` with `--format json`: no single output is both a shell line and a JSON document.
fn refuse_two_forms(call: Call<'_>, args: &ClaimantArgs) -> Result<()> {
    match args.export && call.is_machine() {
        true => Err(Error::usage("--export prints a line for a shell, and --format json a document")
            .hint("leave one of them out; the document has the token, too")),
        false => Ok(()),
    }
}

fn take_next(call: Call<'_>, repo: &Repo, args: NextArgs) -> Result<Exit> {
    signals::install()?;
    refuse_two_forms(call, &args.claimant)?;
    let why = explained(&args);
    let claimant = claimant(repo, &args.claimant)?;
    let (site, store) = (call.site(repo)?, call.store(repo));
    let needs = call.patiently(|| needs(repo, &args.nodes, &args.tags, args.failing))?;
    let board = board(repo, &store, args.claimant.local)?;
    let mut claiming = Claiming::new(&site, &store, board, claimant.now)?;
    let (outcome, passed) = claiming.next(&needs, &claimant, args.dry_run)?;
    drop(claiming);
    if call.global.verbosity == Verbosity::Verbose {
        stdio::tell(passed_over(&passed).as_bytes());
    }
    let Some(done) = outcome else {
        let nothing = nothing_left(&args, &needs.rows);
        // with `-v` the reasons were printed, so the hint for `-v` is left out
        crate::cli::verbs::invite(call, repo, passed.is_empty());
        return Err(match call.global.verbosity {
            Verbosity::Verbose => nothing,
            _ if passed.is_empty() => nothing.hint("what there is: yatsu-hook scan").argv(["scan"]),
            _ => nothing.hint(format!("see why each scenario was passed over: `{}`", line(&why))).argv(why),
        });
    };
    let item = done.event.claim.series.scenario().and_then(|on| item(&needs, on.node(), on.name()));
    if args.dry_run {
        let row = ClaimRow { event: "would-take", ..untold(&done.event, &done.names) };
        return call.answer(|out| match call.is_machine() {
            true => claim_text::write_json("next", std::slice::from_ref(&row), item.as_ref(), out),
            false => claim_text::write_would_take(&row, item.as_ref(), out),
        });
    }
    Given { call, verb: "next", export: args.claimant.export, item }.hand_out(repo, &site, &store, &done)
}

/// The error that nothing is left to take. It names the fresh fails if they were not asked for.
fn nothing_left(args: &NextArgs, rows: &[NeedRow]) -> Error {
    let nothing = Error::refused("nothing needs measuring").because(Refusal::NothingLeft);
    match rows.iter().filter(|row| !args.failing && row.is_fresh_fail()).count() {
        0 => nothing,
        count => nothing.hint(format!("{}: yatsu-hook claim next --failing", still_failing(count))),
    }
}

/// The arguments of the same command with `-v` and `--dry-run`, which explains the answer and writes nothing.
fn explained(args: &NextArgs) -> Vec<String> {
    let fixed = ["-v", "claim", "next", "--dry-run"].into_iter().map(str::to_owned);
    let failing = args.failing.then(|| "--failing".to_owned());
    let tags = args.tags.iter().flat_map(|tag| ["--tag".to_owned(), tag.clone()]);
    fixed.chain(failing).chain(tags).chain(args.nodes.iter().cloned()).collect()
}

/// A yatsu-hook command as it is typed.
fn line(words: &[String]) -> String {
    words.iter().fold("yatsu-hook".to_owned(), |line, word| format!("{line} {}", shell::word(word)))
}

fn release(call: Call<'_>, repo: &Repo, args: ReleaseArgs) -> Result<Exit> {
    signals::install()?;
    let (site, store, now) = (call.site(repo)?, call.store(repo), clock::now());
    let done = match args.reason {
        Some(reason) if args.force => {
            let target = match other(call, repo, &args.other)? {
                Some(series) => ClaimTarget::Other(series),
                None => ClaimTarget::Scenario(scenario(&site, args.token, args.scenario)?),
            };
            let board = board(repo, &store, args.local || stays_here(&target))?;
            Claiming::new(&site, &store, board, now)?.force(&target, reason)?
        }
        reason => {
            let token = token(args.token.as_deref().unwrap_or_default()).map_err(|text| {
                Error::usage(text)
                    .hint("to end a claim without its token, name its scenario: --force NODE/SCENARIO --reason TEXT")
            })?;
            let board = if args.local { None } else { shared::board_of(repo, &store, token, patience())? };
            Claiming::new(&site, &store, board, now)?.release(token, reason)?
        }
    };
    Ok(tell(call, "release", &done))
}

fn waive(call: Call<'_>, repo: &Repo, args: WaiveArgs) -> Result<Exit> {
    signals::install()?;
    let by = crate::cli::verbs::named(repo, args.by, "--by")?;
    let site = call.site(repo)?;
    let target = scenario(&site, args.node, args.scenario)?;
    let waived = waiving::waive(&site, &call.store(repo), &target, &args.reason, &by, clock::now())?;
    Ok(call.hand_over(&waived, Exit::CLEAN))
}

fn log(call: Call<'_>, repo: &Repo, node: Option<&str>, typed: &OtherArgs) -> Result<Exit> {
    let mut events = claiming::history(&repo.common_dir)?;
    if let Some(series) = other(call, repo, typed)? {
        events.retain(|event| event.claim.series == series);
    }
    if let Some(name) = node {
        let named = claiming::log_of(&crate::cli::verbs::nodes(repo)?, &events, name)?;
        events.retain(|event| event.claim.series.scenario().is_some_and(|on| named.has(on.node(), on.name())));
    }
    // the journal can be read even if the work tree cannot; then nodes are named by their directories
    let names = names(repo).unwrap_or_default();
    let rows: Vec<ClaimRow> = events.iter().map(|event| untold(event, &names)).collect();
    call.answer(|out| match call.is_machine() {
        true => claim_text::write_json("log", &rows, None, out),
        false => claim_text::write_log(&rows, out),
    })
}

/// An event as a row, without the token.
fn untold(event: &ClaimEvent, names: &NodeNames) -> ClaimRow {
    ClaimRow { token: None, ..claiming::row(event, names) }
}

/// The names of the nodes in the working tree, or in HEAD in a bare repository.
fn names(repo: &Repo) -> Result<NodeNames> {
    let view = snapshot::all(repo)?.view;
    Ok(NodeNames::of(&Outline::of(&*view, workspace::read_config(&*view)?)?.nodes()))
}

fn claimant(repo: &Repo, args: &ClaimantArgs) -> Result<Claimant> {
    let owner = crate::cli::verbs::named(repo, args.owner.clone(), "--as")?;
    let token = ClaimToken(crate::cli::verbs::random()?);
    let (run, ttl, session) = (args.run.clone(), args.ttl.unwrap_or(TTL), args.session.clone().or_else(session));
    Ok(Claimant { owner, token, run, ttl, now: clock::now(), session })
}

/// The session in the environment: `YATSU_SESSION`, else the one that Claude Code names to the commands that it runs. An
/// empty variable counts as not set.
fn session() -> Option<SessionHash> {
    let ids = ["YATSU_SESSION", "CLAUDE_CODE_SESSION_ID"].into_iter().filter_map(std::env::var_os);
    ids.map(OsString::into_encoded_bytes).find(|id| !id.is_empty()).map(|id| SessionHash::of(&id))
}

/// A new claim, and how its token is printed.
struct Given<'c> {
    call: Call<'c>,
    verb: &'static str,
    export: bool,
    /// The item to measure; `None` if it could not be found.
    item: Option<NextRow>,
}

impl Given<'_> {
    /// Prints the token. If that fails the claim is released, because a claim without a known token would block
    /// everyone until it lapses.
    fn hand_out(self, repo: &Repo, site: &dyn Site, store: &Store, done: &ClaimOutcome) -> Result<Exit> {
        warn_of_cut(self.call, done);
        let row = claiming::row(&done.event, &done.names);
        let item = match self.item {
            // with `--export` the filing command finds the token in its environment
            Some(item) if !self.export => Some(item.under(&done.event.claim.token.to_hex())),
            item => item,
        };
        let item = item.as_ref();
        if self.export && self.call.global.verbosity != Verbosity::Quiet {
            // the shell reads standard output, so the item to measure goes to standard error
            stdio::tell(&stdio::made(|out| claim_text::write_taken(&row, item, out)));
        }
        let told = stdio::hand_out(|out| match (self.export, self.call.is_machine()) {
            (true, _) => claim_text::write_export(&row, out),
            (_, true) => claim_text::write_json(self.verb, std::slice::from_ref(&row), item, out),
            _ => claim_text::write_given(&row, item, out),
        });
        let Err(error) = told else { return Ok(Exit::CLEAN) };
        let (token, why) = (done.event.claim.token, "its token could not be printed".to_owned());
        let given_back = || {
            let board = shared::board_of(repo, store, token, patience())?;
            Claiming::new(site, store, board, clock::now())?.release(token, Some(why))
        };
        given_back().map_err(|second| {
            second.context("the token of the claim could not be printed, and the claim could not be given back")
        })?;
        Err(error.context("nothing is claimed, because the token could not be printed"))
    }
}

/// Prints the result for a claim. Its holder has the token already.
fn tell(call: Call<'_>, verb: &'static str, done: &ClaimOutcome) -> Exit {
    warn_of_cut(call, done);
    let row = untold(&done.event, &done.names);
    stdio::print_receipt(Exit::CLEAN, |out| match call.is_machine() {
        true => claim_text::write_json(verb, std::slice::from_ref(&row), None, out),
        false => claim_text::write_log(std::slice::from_ref(&row), out),
    })
}

fn warn_of_cut(call: Call<'_>, done: &ClaimOutcome) {
    if done.cut > 0 {
        let what =
            format!("the journal of claims ended in {} bytes of a line that was cut off; they are gone", done.cut);
        call.warn(&[what]);
    }
}
