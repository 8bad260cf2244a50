//! `validate`: the named files alone, for tools that hand over file names and nothing else.

use super::check::Options;
use super::levels;
use super::outcome;
use super::snapshot;
use crate::engine::anchors::Anchors;
use crate::engine::facts;
use crate::error::{Error, Result};
use crate::finding::{Finding, RuleId};
use crate::model::tree::Kind;
use crate::model::workspace::{self, Select};
use crate::repo::Repo;
use crate::repo::path::RepoPath;
use crate::report::view::{Report, Scope};
use crate::rules;

/// The rules that speak about a file on its own.
const OF_A_FILE: [RuleId; 4] = [RuleId::YatsuSchema, RuleId::LedgerSchema, RuleId::LedgerDuplicate, RuleId::NodeId];

/// Judges the scenario files and ledgers among `paths` as they lie in the working tree. What is not ours passes; what
/// is not there is misuse.
pub fn validate(repo: &Repo, paths: &[RepoPath], options: Options) -> Result<Report> {
    let view = snapshot::all(repo)?.view;
    for path in paths {
        let kind = view.entry(path)?.map(|entry| entry.kind);
        if matches!(kind, None | Some(Kind::Dir)) {
            let what = if kind.is_none() { "there is no" } else { "this is a directory, not a file:" };
            return Err(Error::usage(format!("{what} {path}"))
                .hint("name scenario files and ledgers; the whole repository: yatsu-hook check"));
        }
    }
    let config = workspace::read_config(&*view)?;
    let dirs = paths.iter().filter_map(RepoPath::parent).collect();
    let workspace = workspace::load(&*view, config, &Select::Dirs(dirs))?;
    let facts = facts::collect(&*view, &Anchors::new(repo.history()), workspace)?;
    let mut findings = levels::apply(rules::of_view(&facts), &facts.workspace.config, options.strict);
    findings.retain(|finding| OF_A_FILE.contains(&finding.rule) && is_named(finding, paths));
    let backend = repo.answered_by().as_str();
    let nodes = facts.workspace.nodes.len();
    let scope = Scope { mode: "files", base: None, tip: None, backend, files: paths.len(), nodes };
    Ok(outcome::report(scope, findings, &[], options.reader))
}

fn is_named(finding: &Finding, paths: &[RepoPath]) -> bool {
    finding.location.as_ref().is_some_and(|place| paths.iter().any(|path| *path.as_bstr() == place.path))
}
