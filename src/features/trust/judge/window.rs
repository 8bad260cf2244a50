//! The commits that a reading's content and scenario come from, with their authors. An author of one of them is
//! no independent judge of the reading.

use crate::engine::freshness::governed;
use crate::error::Result;
use crate::features::trust::judge::base::TrustBase;
use crate::features::trust::judge::logs::LogBook;
use crate::features::trust::model::keys::{Mailmap, Person};
use crate::model::config::Config;
use crate::model::governed::Governed;
use crate::model::ledger::{EvidenceHash, Reading, Stamped};
use crate::model::node::{Declared, Node};
use crate::model::scenario::Scenario;
use crate::model::stamp;
use crate::model::workspace::{self, Select, Workspace};
use crate::repo::Repo;
use crate::repo::commit::Author;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// How many moves and changed lists of one scenario are followed.
const MOST_MOVES: usize = 64;

/// A place where the scenario was declared: a directory and a name. It has several if it moved or was renamed.
type Place = (RepoPath, String);

/// The content and the text of a scenario at one commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ScenarioThen {
    /// The files that the scenario governs now; `None` if they are too many for a stamp.
    files: Option<BTreeMap<RepoPath, Stamped>>,
    /// The scenario as the commit declares it; `None` if it does not.
    declared: Option<DeclaredThen>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct DeclaredThen {
    text: EvidenceHash,
    /// The governed list, as its texts.
    list: Vec<String>,
    /// The files that this list governs; `None` if they are too many for a stamp.
    files: Option<BTreeMap<RepoPath, Stamped>>,
}

/// What counts as the stamp of a reading: its files and the text that it measured.
type MeasuredStamp<'r> = (&'r BTreeMap<RepoPath, Stamped>, Option<EvidenceHash>);

/// The history of one scenario, behind one commit.
pub(crate) struct AuthorWindow<'a> {
    repo: &'a Repo,
    logs: &'a LogBook<'a>,
    base: &'a TrustBase,
    config: &'a Config,
    tip: Oid,
    asked: Declared<'a>,
    places: RefCell<Vec<Place>>,
    /// What it governed before, by the texts of the entries, apart from what it governs now.
    earlier: RefCell<BTreeMap<String, Governed>>,
    moments: RefCell<HashMap<Oid, Rc<ScenarioThen>>>,
    mailmap: OnceCell<Mailmap>,
}

impl<'a> AuthorWindow<'a> {
    /// The history of `asked` behind the commit `tip`.
    pub(crate) fn new(
        repo: &'a Repo,
        logs: &'a LogBook<'a>,
        base: &'a TrustBase,
        config: &'a Config,
        tip: Oid,
        asked: Declared<'a>,
    ) -> Self {
        let places = RefCell::new(vec![(asked.node.dir.clone(), asked.scenario.name.clone())]);
        let (earlier, moments) = (RefCell::default(), RefCell::default());
        Self { repo, logs, base, config, tip, asked, places, earlier, moments, mailmap: OnceCell::new() }
    }

    /// Which of `persons` wrote nothing that `reading` measured, in their order. `ended_by` is the latest earlier pass of
    /// other content that an independent judge signed: what came before it was judged. `None` if git cannot tell: a shallow
    /// clone, no stamp, no commit that holds it, or too many commits.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub(crate) fn independent(
        &self,
        persons: &[&Person],
        reading: &Reading,
        ended_by: Option<&Reading>,
    ) -> Result<Option<Vec<bool>>> {
        let (Some(stamp), false) = (stamp_of(reading), self.repo.shallow) else { return Ok(None) };
        for _ in 0..MOST_MOVES {
            let window = self.window(stamp, ended_by.and_then(stamp_of))?;
            // where no commit holds the stamp, one from before a move may hold it
            let searched = match &window {
                Some(window) => window,
                None => &self.touching(&self.tip, &[])?.unwrap_or_default(),
            };
            // who moves or renames a scenario or its files has not written them
            if self.follow_moves(searched)? {
                continue;
            }
            let Some(window) = window else { return Ok(None) };
            let authors = self.authors(&window)?;
            return Ok(Some(persons.iter().map(|person| !authors.iter().any(|author| person.is(author))).collect()));
        }
        Ok(None)
    }

    /// The commits of the window, by the places and lists that are known so far.
    fn window(&self, stamp: MeasuredStamp<'_>, ended_by: Option<MeasuredStamp<'_>>) -> Result<Option<Vec<Oid>>> {
        let Some(all) = self.touching(&self.tip, &[])? else { return Ok(None) };
        let mut start = None;
        for commit in &all {
            if self.holds(commit, stamp)? {
                start = Some(*commit);
                break;
            }
        }
        let Some(start) = start else { return Ok(None) };
        let Some(from_start) = self.touching(&start, &[])? else { return Ok(None) };
        let excluded = self.end(&from_start, ended_by)?;
        self.touching(&start, &excluded)
    }

    /// The commits that end the window and are not in it: the one with the stamp `ended_by`, else the parents of the one that
    /// declared the scenario. Of several it is the oldest: an author could delete the scenario and declare it again.
    fn end(&self, commits: &[Oid], ended_by: Option<MeasuredStamp<'_>>) -> Result<Vec<Oid>> {
        if let Some(stamp) = ended_by {
            for commit in commits {
                if self.holds(commit, stamp)? {
                    return Ok(vec![*commit]);
                }
            }
        }
        for commit in commits.iter().rev() {
            if self.is_new_in(commit)? {
                return self.repo.parents(commit);
            }
        }
        Ok(Vec::new())
    }

    /// Whether a commit declares the scenario, at any known place, and none of its parents does.
    fn is_new_in(&self, commit: &Oid) -> Result<bool> {
        let mut is_new = self.moment(commit)?.declared.is_some();
        for parent in self.repo.parents(commit)? {
            is_new = is_new && self.moment(&parent)?.declared.is_none();
        }
        Ok(is_new)
    }

    /// Whether the commits of a window show a place or a governed path of the scenario that was not known. It is known
    /// then, and the window reaches further.
    fn follow_moves(&self, window: &[Oid]) -> Result<bool> {
        let known = (self.places.borrow().len(), self.earlier.borrow().len());
        for commit in window {
            for parent in self.repo.parents(commit)? {
                self.learn_list(&parent)?;
                if self.is_new_in(commit)? {
                    self.learn_origin(commit, &parent)?;
                }
            }
        }
        let is_wider = known != (self.places.borrow().len(), self.earlier.borrow().len());
        if is_wider {
            self.moments.borrow_mut().clear();
        }
        Ok(is_wider)
    }

    /// Learns what the scenario governs at `commit`.
    fn learn_list(&self, commit: &Oid) -> Result<()> {
        let now: BTreeSet<&str> = self.governed().iter().map(|entry| entry.text.as_str()).collect();
        let then = self.nodes(commit, &self.dirs())?;
        let Some((node, scenario)) = self.find(&then) else { return Ok(()) };
        let gone = governed(node, scenario).iter().filter(|entry| !now.contains(entry.text.as_str()));
        self.earlier.borrow_mut().extend(gone.map(|entry| (entry.text.clone(), entry.clone())));
        Ok(())
    }

    /// Learns from which place `commit` moved the scenario here: `parent` declares the same text there, and `commit` does not.
    fn learn_origin(&self, commit: &Oid, parent: &Oid) -> Result<()> {
        let (now, before) = (self.nodes(commit, &Select::All)?, self.nodes(parent, &Select::All)?);
        let Some(text) = self.find(&now).map(|(_, scenario)| scenario.text_hash) else { return Ok(()) };
        for node in &before.nodes {
            let stays = |name: &str| now.node(&node.dir).is_some_and(|node| node.scenario(name).is_some());
            let moved = node.scenarios().iter().filter(|one| one.text_hash == text && !stays(&one.name));
            self.places.borrow_mut().extend(moved.map(|one| (node.dir.clone(), one.name.clone())));
        }
        Ok(())
    }

    fn dirs(&self) -> Select {
        Select::Dirs(self.places.borrow().iter().map(|(dir, _)| dir.clone()).collect())
    }

    fn nodes(&self, commit: &Oid, select: &Select) -> Result<Workspace> {
        workspace::load(&*self.repo.commit_view(commit)?, self.config.clone(), select)
    }

    /// The scenario in a state, at the latest of its places.
    fn find<'w>(&self, then: &'w Workspace) -> Option<(&'w Node, &'w Scenario)> {
        let places = self.places.borrow();
        places.iter().find_map(|(dir, name)| {
            let node = then.node(dir)?;
            Some((node, node.scenario(name)?))
        })
    }

    /// The commits behind `tip` and not behind `excluded` that changed the governed content or the scenario, newest first.
    /// `None` if they are too many.
    fn touching(&self, tip: &Oid, excluded: &[Oid]) -> Result<Option<Vec<Oid>>> {
        let Some(listed) = self.logs.touching(tip, excluded, &self.paths())? else { return Ok(None) };
        let mut kept = Vec::new();
        for commit in &listed {
            // the file of the scenario and a searched directory hold more than this scenario
            let now = self.moment(commit)?;
            let parents = self.repo.parents(commit)?;
            let mut is_new = true;
            for parent in &parents {
                is_new &= *self.moment(parent)? != *now;
            }
            if is_new {
                kept.push(*commit);
            }
        }
        Ok(Some(kept))
    }

    /// The paths that it governs or governed, of globs the directory that they search, and the files that declare it.
    fn paths(&self) -> Vec<RepoPath> {
        let of_entry = |entry: &Governed| -> Option<RepoPath> {
            let path = entry.path.as_ref().ok()?;
            Some(if stamp::is_glob(entry) { crate::model::glob::literal_base(path) } else { path.clone() })
        };
        let (earlier, places) = (self.earlier.borrow(), self.places.borrow());
        let mut all: BTreeSet<RepoPath> = self.governed().iter().chain(earlier.values()).filter_map(of_entry).collect();
        let files = [
            &self.asked.node.file.as_ref().map(|file| &file.path),
            &self.asked.node.spec.as_ref().map(|spec| &spec.path),
        ];
        for file in files.into_iter().flatten() {
            all.extend(places.iter().map(|(dir, _)| dir.child(file.name())));
        }
        all.into_iter().collect()
    }

    fn governed(&self) -> &'a [Governed] {
        governed(self.asked.node, self.asked.scenario)
    }

    fn holds(&self, commit: &Oid, (files, text): MeasuredStamp<'_>) -> Result<bool> {
        let moment = self.moment(commit)?;
        let same_text = text.is_none() || moment.declared.as_ref().map(|declared| declared.text) == text;
        // by the list of now, or by the list of then
        let stamps = [moment.files.as_ref(), moment.declared.as_ref().and_then(|declared| declared.files.as_ref())];
        Ok(same_text && stamps.contains(&Some(files)))
    }

    fn moment(&self, commit: &Oid) -> Result<Rc<ScenarioThen>> {
        if let Some(known) = self.moments.borrow().get(commit) {
            return Ok(Rc::clone(known));
        }
        let (view, then) = (self.repo.commit_view(commit)?, self.nodes(commit, &self.dirs())?);
        let declared = match self.find(&then) {
            None => None,
            Some((node, scenario)) => {
                let list = governed(node, scenario);
                let texts = list.iter().map(|entry| entry.text.clone()).collect();
                Some(DeclaredThen { text: scenario.text_hash, list: texts, files: stamp::stamp(&*view, list)? })
            }
        };
        let moment = Rc::new(ScenarioThen { files: stamp::stamp(&*view, self.governed())?, declared });
        self.moments.borrow_mut().insert(*commit, Rc::clone(&moment));
        Ok(moment)
    }

    /// The proper addresses of everybody who wrote one of `commits`.
    fn authors(&self, commits: &[Oid]) -> Result<BTreeSet<String>> {
        if self.mailmap.get().is_none() {
            let _ = self.mailmap.set(self.base.mailmap(self.repo)?);
        }
        let map = self.mailmap.get_or_init(Mailmap::default);
        let mut addresses = BTreeSet::new();
        for commit in commits {
            for Author { name, address } in self.repo.authors(commit)? {
                addresses.extend(map.addresses(&name, &address));
            }
        }
        Ok(addresses)
    }
}

fn stamp_of(reading: &Reading) -> Option<MeasuredStamp<'_>> {
    Some((reading.governed.as_ref()?, reading.scenario_hash))
}
