//! The work tree as coverage files are judged against it: the tracked files, and which of them are left out and why.

use crate::app::site::{Site, manifests, work_dir};
use crate::engine::anchors::Anchors;
use crate::engine::freshness::governed;
use crate::error::Result;
use crate::features::coverage::judge::measured::{
    FunctionBody, Ground, LeftOutReason, dir_before, function_bodies, is_test_file,
};
use crate::model::config::Config;
use crate::model::governed::Governed;
use crate::model::links::{LinkEnd, MAX_LINKS, trace};
use crate::model::node::Node;
use crate::names::{CONFIG_FILE, RUNS_DIR, is_like_ours};
use crate::sys;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use bstr::{BString, ByteSlice};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How many tracked files of one name are looked through for a name of a report, because each name costs as much.
const MAX_OF_ONE_NAME: usize = 100;

/// The work tree of a site, for [`crate::features::coverage::judge::measured::measured`].
pub(crate) struct CoverageGround {
    view: Rc<dyn Tree>,
    anchors: Anchors,
    top: String,
    tracked: HashSet<RepoPath>,
    /// The tracked files by their last part, once they are asked for.
    by_name: OnceCell<HashMap<BString, Vec<RepoPath>>>,
    links: TrackedLinks,
    modules: Vec<(RepoPath, String)>,
    config: Config,
    /// The runnable files of all scenarios, each with the code list of its scenario.
    tests: Vec<(Governed, Vec<Governed>)>,
}

impl CoverageGround {
    /// Lists the work tree. `nodes` are all nodes of the site.
    ///
    /// # Errors
    /// Refused in a bare repository; unchecked if the work tree cannot be read.
    pub(crate) fn of(site: &dyn Site, nodes: &[Node]) -> Result<Self> {
        let dir = work_dir(site)?;
        let top = sys::canonical(dir).unwrap_or_else(|_| dir.to_owned()).to_string_lossy().into_owned();
        let view = site.worktree()?;
        let (mut tracked, mut links) = (Vec::new(), TrackedLinks::default());
        for (path, entry) in view.files(&RepoPath::root(), &|_| true)? {
            match entry.kind {
                _ if view.is_untracked(&path)? => {}
                Kind::File | Kind::Exec => tracked.push(path),
                Kind::Link => links.add(&*view, &path)?,
                Kind::Submodule | Kind::Dir => {}
            }
        }
        let modules = manifests::declared(&*view, &tracked, "go.mod", manifests::go_module)?;
        let scenarios = nodes.iter().flat_map(|node| node.scenarios().iter().map(move |scenario| (node, scenario)));
        Ok(Self {
            anchors: site.anchors(),
            top: top.trim_end_matches('/').to_owned(),
            tracked: tracked.into_iter().collect(),
            by_name: OnceCell::new(),
            links,
            modules,
            config: site.config()?,
            tests: scenarios
                .filter_map(|(node, scenario)| Some((scenario.test.clone()?, governed(node, scenario).to_vec())))
                .collect(),
            view,
        })
    }

    /// Whether the file is the test of a scenario that does not govern it. A governed file counts: for example, `src/cart.rs`
    /// may hold the code and its tests.
    fn is_scenario_test(&self, path: &RepoPath) -> bool {
        let runs = |test: &Governed| test.covers(path) || test.literals().any(|own| path.is_within(own));
        self.tests.iter().any(|(test, code)| runs(test) && !code.iter().any(|entry| entry.covers(path)))
    }

    fn is_ours(&self, path: &RepoPath) -> bool {
        is_like_ours(path.name()) || path.as_bstr() == CONFIG_FILE || path.is_within(&RepoPath::from_git(RUNS_DIR))
    }
}

impl Ground for CoverageGround {
    fn top(&self) -> &str {
        &self.top
    }

    fn is_tracked(&self, path: &RepoPath) -> bool {
        self.tracked.contains(path)
    }

    fn dirs_of(&self, path: &RepoPath) -> Vec<RepoPath> {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: HashMap<BString, Vec<RepoPath>> = HashMap::new();
            for file in &self.tracked {
                by_name.entry(file.name().into()).or_default().push(file.clone());
            }
            by_name
        });
        let named = by_name.get(path.name()).filter(|files| files.len() <= MAX_OF_ONE_NAME);
        named.into_iter().flatten().filter_map(|file| dir_before(file, path)).collect()
    }

    fn has_links(&self) -> bool {
        !self.links.ends.is_empty()
    }

    fn behind_link(&self, path: &RepoPath) -> Option<RepoPath> {
        self.links.follow(path).filter(|file| self.tracked.contains(file))
    }

    fn modules(&self) -> &[(RepoPath, String)] {
        &self.modules
    }

    fn left_out(&self, path: &RepoPath) -> Result<Option<LeftOutReason>> {
        Ok(match () {
            () if is_test_file(path) || self.is_scenario_test(path) => Some(LeftOutReason::Test),
            () if self.is_ours(path) || self.config.exclude.covers(path) => Some(LeftOutReason::Generated),
            () => self.view.is_generated(path)?.then_some(LeftOutReason::Generated),
        })
    }

    fn functions(&self, path: &RepoPath) -> Result<Option<Vec<FunctionBody>>> {
        self.anchors.units().look(&*self.view, path, function_bodies)
    }
}

/// The tracked symbolic links that lead to a file or a directory of the view, each with its end.
#[derive(Default)]
struct TrackedLinks {
    ends: HashMap<BString, RepoPath>,
    /// The parts of the deepest link, for example 2 for `app/current`. Longer prefixes of a path are no link.
    depth: usize,
}

impl TrackedLinks {
    fn add(&mut self, view: &dyn Tree, link: &RepoPath) -> Result<()> {
        if let LinkEnd::At(end, _) = trace(view, link)?.end {
            self.depth = self.depth.max(link.components().count());
            self.ends.insert(link.to_bstring(), end);
        }
        Ok(())
    }

    /// The path without links on its way; `None` if no link is on it, or more than [`MAX_LINKS`].
    fn follow(&self, path: &RepoPath) -> Option<RepoPath> {
        let mut at = self.step(path)?;
        for _ in 1..MAX_LINKS {
            match self.step(&at) {
                Some(next) => at = next,
                None => return Some(at),
            }
        }
        None
    }

    /// The path with its first link replaced by the end of the link; `None` if no link is on it.
    fn step(&self, path: &RepoPath) -> Option<RepoPath> {
        let path = path.as_bstr();
        let ends = path.find_iter(b"/").chain([path.len()]).take(self.depth);
        let (end, rest) = ends.into_iter().find_map(|at| Some((self.ends.get(&path[..at])?, &path[at..])))?;
        match rest.strip_prefix(b"/") {
            Some(rest) => end.join(rest).ok(),
            None => Some(end.clone()),
        }
    }
}
