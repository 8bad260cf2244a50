//! `retract`: withdraws a reading by appending a retraction. A [`RetractRequest`] in, a [`Retracted`] out; prints nothing.

use super::transaction::Transaction;
use crate::app::site;
use crate::app::site::Site;
use crate::app::site::line_files::NewLineFiles;
use crate::app::site::{MAX_FIELD, MAX_NOTE};
use crate::engine::effective::Effective;
use crate::error::{Error, Refusal, Result};
use crate::model::labels::EnvName;
use crate::model::ledger::{Event, Ledger, Reading, Retraction, Timestamp, encode_retraction};
use crate::model::node::Node;
use crate::store::Store;
use crate::store::ledger::next_ts;
use crate::text::shell;
use crate::tree::path::RepoPath;

/// The reading that the user means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadingChoice {
    /// The latest effective reading.
    Last,
    At(Timestamp),
}

#[derive(Clone, Debug)]
pub(crate) struct RetractRequest {
    /// A node reference; `None` or `.` means the node of the current directory, or the one that the branch touched.
    pub node: Option<String>,
    /// The scenario. It need not be declared, because readings of a removed scenario can be withdrawn too.
    pub scenario: String,
    pub which: ReadingChoice,
    /// Only a reading of this environment.
    pub env: Option<EnvName>,
    /// Why: one line.
    pub note: Option<String>,
    /// The name of the person who withdraws it: one line, not checked.
    pub by: Option<String>,
    /// When it is withdrawn: the `ts` of the line, unless the ledger has a later one.
    pub now: Timestamp,
}

/// What was withdrawn, for a receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Retracted {
    pub node: String,
    /// The file that the line went to.
    pub ledger: RepoPath,
    /// The retraction as the ledger holds it.
    pub retraction: Retraction,
}

/// Withdraws a reading.
///
/// # Errors
/// Refused if there is nothing to withdraw, or if the ledger cannot be appended to; otherwise as [`super::eval::eval`].
pub(crate) fn retract(site: &dyn Site, store: &Store, request: &RetractRequest) -> Result<Retracted> {
    site::one_line("note", request.note.as_deref(), MAX_NOTE)?;
    site::one_line("name after --by", request.by.as_deref(), MAX_FIELD)?;
    site::work_dir(site)?;
    let nodes = site.nodes()?;
    let node = site::find_node(site, &nodes, request.node.as_deref())?;
    let scenario = &request.scenario;
    let transaction = Transaction::begin(site, store)?;
    // the lines between conflict markers are no readings
    for ledger in &node.ledgers {
        site::refuse_unsound(site, ledger)?;
    }
    let files = NewLineFiles::of(site, &site.config()?, &nodes, request.now)?;
    let path = match files.are_segments() {
        true => transaction.path_for(&files, node)?,
        // of two trunk files the one with the reading
        false => holder(node, scenario, request)?,
    };
    let open = transaction.open_new(&files, &path)?;
    let ledgers = transaction.ledgers(node, &open)?;
    let reading = target(&ledgers, scenario, request).ok_or_else(|| nothing(node, scenario, request))?;
    let retraction = Retraction {
        retracts: reading.ts,
        // as the reading spells it: other readers of the ledger compare bytes
        scenario: reading.scenario.clone(),
        note: request.note.clone(),
        by: request.by.clone(),
        ts: next_ts(&ledgers, request.now),
        redacted: None,
    };
    open.append(&encode_retraction(&retraction))?;
    Ok(Retracted { node: node.id.clone(), ledger: path, retraction })
}

fn target<'l>(ledgers: &'l [Ledger], scenario: &str, request: &RetractRequest) -> Option<&'l Reading> {
    let is_of = |reading: &&Reading| request.env.is_none() || reading.terms.env == request.env;
    let timeline = Effective::over(ledgers).timeline(scenario);
    let mut readings = timeline.into_iter().map(|filed| filed.event).filter(is_of);
    match request.which {
        ReadingChoice::Last => readings.next(),
        ReadingChoice::At(ts) => readings.find(|found| found.ts == ts),
    }
}

/// The ledger of the node that holds the reading.
fn holder(node: &Node, scenario: &str, request: &RetractRequest) -> Result<RepoPath> {
    let wanted = target(&node.ledgers, scenario, request).ok_or_else(|| nothing(node, scenario, request))?;
    let holds = |ledger: &&Ledger| {
        ledger.lines.iter().any(|line| matches!(&line.event, Event::Reading(reading) if **reading == *wanted))
    };
    node.ledgers.iter().find(holds).map(|ledger| ledger.path.clone()).ok_or_else(|| nothing(node, scenario, request))
}

fn nothing(node: &Node, scenario: &str, request: &RetractRequest) -> Error {
    let of_env = request.env.as_ref().map_or(String::new(), |env| format!(" in {env}"));
    let what = match request.which {
        ReadingChoice::Last => format!("no reading{of_env}"),
        ReadingChoice::At(ts) => format!("no reading of {ts}{of_env}"),
    };
    Error::refused(format!("{}/{scenario} has {what} that could be withdrawn", node.id))
        .because(Refusal::NothingLeft)
        .argv(["show", &node.argument()])
        .hint(format!("the readings that count: yatsu-hook show {}", shell::word(&node.id)))
}
