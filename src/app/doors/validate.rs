//! `validate`: judges only the named files, for tools that pass nothing but file names.

use crate::app::judge::{Options, add_files, excerpts, levels, remember, snapshot, verdict};
use crate::engine::facts::{self, Facts};
use crate::engine::selectors;
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::model::config::Config;
use crate::model::workspace::{self, Select};
use crate::names::CONFIG_FILE;
use crate::repo::Repo;
use crate::report::view::{Report, Scope, ScopeMode};
use crate::rules::{self, Door};
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind, Tree};
use bstr::BString;
use std::rc::Rc;

/// Judges the scenario files, ledgers and run logs among `paths` in the working tree. Other files pass. A missing file
/// or a directory is a usage error.
pub(crate) fn validate(repo: &Repo, paths: &[RepoPath], options: Options) -> Result<Report> {
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
    let unseen = unseen(&*view, &config, paths)?;
    let view = NamedFilesView { view, named: paths };
    let dirs = paths.iter().filter_map(RepoPath::parent).collect();
    let workspace = workspace::load(&view, config, &Select::Dirs(dirs))?;
    let anchors = remember::anchors(repo);
    let facts = facts::collect_unowned(&view, &anchors, workspace)?;
    let selectors = selectors::ask(&view, anchors.units(), &facts.workspace.nodes, &|_, _| true);
    let mut facts = Facts { selectors, now: Some(options.now), ..facts };
    add_files(&view, paths, &mut facts)?;
    let mut findings = levels::apply(rules::of_view(&facts, Door::Files), &facts.workspace.config, options.strict);
    findings.retain(|finding| is_named(finding, paths));
    excerpts::of_view(&mut findings, &view);
    let backend = Some(repo.answered_by());
    let nodes = facts.workspace.nodes.len();
    let scope = Scope { mode: ScopeMode::Files, base: None, tip: None, backend, files: paths.len(), nodes };
    let mut report = verdict::report(scope, findings, options.reader);
    report.notes.extend(unseen);
    Ok(report)
}

/// Notes about named files that only this command judges, because git ignores them or the configuration excludes them.
fn unseen(view: &dyn Tree, config: &Config, paths: &[RepoPath]) -> Result<Vec<String>> {
    let ours: Vec<RepoPath> = paths.iter().filter(|path| workspace::has_our_name(path)).cloned().collect();
    let ignored = view.ignored(&ours)?;
    let ignored =
        ignored.iter().map(|one| format!("{} is ignored by {}: only this looks at it", one.path, one.rule.words()));
    let is_excluded = |path: &&RepoPath| config.exclude.covers(path);
    let excluded =
        ours.iter().filter(is_excluded).map(|path| format!("{path} is excluded by {CONFIG_FILE}: nothing looks at it"));
    Ok(ignored.chain(excluded).collect())
}

/// A view that lists the named files even if git ignores them.
struct NamedFilesView<'p> {
    view: Rc<dyn Tree>,
    named: &'p [RepoPath],
}

impl Tree for NamedFilesView<'_> {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
        self.view.entry(path)
    }

    fn kind(&self, path: &RepoPath) -> Result<Option<Kind>> {
        self.view.kind(path)
    }

    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        self.view.children(dir)
    }

    fn files(&self, dir: &RepoPath, want: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<(RepoPath, Entry)>> {
        let mut files = self.view.files(dir, want)?;
        for path in self.named.iter().filter(|path| path.is_within(dir) && want(path)) {
            let listed = files.binary_search_by(|(file, _)| file.cmp(path));
            if let (Err(at), Some(entry)) = (listed, self.view.entry(path)?) {
                files.insert(at, (path.clone(), entry));
            }
        }
        Ok(files)
    }

    fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
        self.view.size(path)
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        self.view.read(path)
    }

    fn is_untracked(&self, path: &RepoPath) -> Result<bool> {
        self.view.is_untracked(path)
    }
}

fn is_named(finding: &Finding, paths: &[RepoPath]) -> bool {
    finding.location.as_ref().is_some_and(|place| paths.iter().any(|path| *path.as_bstr() == place.path))
}
