//! The governed files on the page: the files that the shown scenarios govern, with the score of these scenarios.

use super::PageRequest;
use crate::app::query::view::ScoreView;
use crate::app::site::Selection;
use crate::engine::facts::governs_source;
use crate::engine::freshness::governed;
use crate::error::Result;
use crate::features::page::model::page::{GovernedRow, PageContent};
use crate::model::governed::Governed;
use crate::model::node::Node;
use crate::model::resolve::matches;
use crate::model::scenario::Scenario;
use crate::report::view::tally::ScoreTally;
use crate::tree::path::RepoPath;
use bstr::BString;
use foldhash::HashMap;
use std::rc::Rc;

/// Most files that are listed.
const FILES: usize = 5000;
/// Most scenarios that are named for one file.
const NAMED: usize = 3;

/// Fills in the governed files of `content`.
///
/// # Errors
/// When the view cannot be read.
pub(super) fn fill(
    score: &ScoreView<'_>,
    request: &PageRequest,
    wanted: &Selection,
    content: &mut PageContent,
) -> Result<()> {
    let mut found = Covered { score, lists: HashMap::default(), places: HashMap::default(), rows: Vec::new() };
    let mut shown = content.scenarios();
    for node in in_order(score, content) {
        let is_wanted = |of: &&Scenario| request.has(of) && wanted.has(&node.dir, &of.name);
        for scenario in node.scenarios().iter().filter(is_wanted) {
            let Some(page) = shown.next() else { break };
            for at in found.files(governed(node, scenario))? {
                let row = &mut found.rows[at];
                row.score.add(&page.row);
                if row.first.len() < NAMED {
                    row.first.push([page.anchor.clone(), format!("{}/{}", node.id, scenario.name)]);
                }
            }
        }
    }
    drop(shown);
    if request.is_whole() {
        for node in score.workspace.nodes.iter().filter(|node| node.file.is_none()) {
            if governs_source(&*score.view, node, &score.workspace.config)? {
                found.files(node.spec.as_ref().map_or(&[], |spec| &spec.code))?;
            }
        }
    }
    let mut rows = found.rows;
    // worst first: failed, unmeasured, stale, fresh
    rows.sort_by(|one, other| (rank(&one.score), &one.path).cmp(&(rank(&other.score), &other.path)));
    // counted before the list is cut, because passing files stand last
    content.proven = rows.iter().filter(|row| row.score.pass > 0).count();
    content.uncounted = rows.len().saturating_sub(FILES);
    rows.truncate(FILES);
    content.governed = rows;
    Ok(())
}

/// The loaded nodes of a page that have scenarios, in the order of the page.
fn in_order<'s>(score: &'s ScoreView<'_>, content: &PageContent) -> Vec<&'s Node> {
    let nodes = content.nodes.iter().filter(|node| !node.scenarios.is_empty());
    nodes.filter_map(|node| score.workspace.node(&dir(node.dir.as_ref()))).collect()
}

/// The directory of a node, from its printed form.
fn dir(shown: &bstr::BStr) -> RepoPath {
    if shown == "." { RepoPath::root() } else { RepoPath::from_git(shown.to_owned()) }
}

fn rank(score: &ScoreTally) -> u8 {
    match score {
        score if score.fail > 0 => 0,
        score if score.fresh() == 0 && score.stale == 0 => 1,
        score if score.fresh() == 0 => 2,
        _ => 3,
    }
}

struct Covered<'s, 'r> {
    score: &'s ScoreView<'r>,
    /// Rows by the text of an entry: a cache, because many scenarios name the same directory.
    lists: HashMap<String, Rc<[usize]>>,
    places: HashMap<BString, usize>,
    rows: Vec<GovernedRow>,
}

impl Covered<'_, '_> {
    /// The files that a governed list matches, each once, as indexes into `rows`.
    fn files(&mut self, list: &[Governed]) -> Result<Vec<usize>> {
        let mut found = Vec::new();
        for entry in list {
            found.extend(self.entry(entry)?.iter());
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn entry(&mut self, entry: &Governed) -> Result<Rc<[usize]>> {
        if let Some(known) = self.lists.get(&entry.text) {
            return Ok(Rc::clone(known));
        }
        let mut found = Vec::new();
        for (path, _) in matches(&*self.score.view, entry)? {
            let next = self.rows.len();
            let mut name = path.to_bstring();
            // a unit has a row of its own: a pass for one unit proves nothing about the rest of its file
            entry.symbol().iter().for_each(|symbol| name.extend_from_slice(format!("#{symbol}").as_bytes()));
            let at = *self.places.entry(name.clone()).or_insert(next);
            if at == next {
                self.rows.push(GovernedRow { path: name, file: path.to_bstring(), ..GovernedRow::default() });
            }
            found.push(at);
        }
        let found: Rc<[usize]> = found.into();
        self.lists.insert(entry.text.clone(), Rc::clone(&found));
        Ok(found)
    }
}
