//! Finds the stamped files that left the list of their scenario since the measurement (docs/freshness.md, "A shorter list").
//! They still concern the scenario: a reading is stale where one of them differs. Input: the lists of a node's scenarios and
//! the files in their stamps. Output: the files that no entry covers, with their contents.

use super::glob;
use super::governed::Governed;
use super::ids::composed;
use super::ledger::{StampKind, Stamped};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use foldhash::HashMap;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The lists of one declared scenario, and the answers about stamped paths so far.
struct ScenarioLists<'m> {
    code: Vec<&'m Governed>,
    test: Option<&'m Governed>,
    /// Whether a list covers the path, for each kind of stamp.
    known: [HashMap<RepoPath, bool>; 2],
}

/// The files that left the lists of one node's scenarios.
#[derive(Default)]
pub(crate) struct LeftFiles<'m> {
    /// By name in NFC. A malformed file may declare a name twice.
    scenarios: HashMap<Cow<'m, str>, Vec<ScenarioLists<'m>>>,
    /// Each file with the id of a content that was measured; `None` for an absent file.
    pub(crate) files: BTreeSet<(RepoPath, Option<Oid>)>,
}

impl<'m> LeftFiles<'m> {
    /// Adds a declared scenario that governs `code`.
    pub(crate) fn declare(&mut self, name: &'m str, code: Vec<&'m Governed>, test: Option<&'m Governed>) {
        let lists = ScenarioLists { code, test, known: Default::default() };
        self.scenarios.entry(composed(name)).or_default().push(lists);
    }

    /// Takes in a stamp of a reading of the scenario `name`.
    pub(crate) fn see<'s>(
        &mut self,
        name: &str,
        kind: StampKind,
        stamp: impl IntoIterator<Item = (&'s RepoPath, &'s Stamped)>,
    ) {
        // no reading of an undeclared scenario counts
        let Some(lists) = self.scenarios.get_mut(&*composed(name)) else { return };
        for (path, content) in stamp {
            if lists.iter_mut().any(|lists| !lists.cover(kind, path)) {
                self.files.insert((path.clone(), content.id()));
            }
        }
    }
}

impl ScenarioLists<'_> {
    /// Whether an entry of the list covers the path. Asked once for each path: a glob is compiled for it.
    fn cover(&mut self, kind: StampKind, path: &RepoPath) -> bool {
        let known = &mut self.known[usize::from(kind == StampKind::Test)];
        if let Some(known) = known.get(path) {
            return *known;
        }
        let covers = match kind {
            StampKind::Governed => self.code.iter().any(|entry| is_covered(entry, path)),
            StampKind::Test => self.test.is_some_and(|entry| is_covered(entry, path)),
        };
        known.insert(path.clone(), covers);
        covers
    }
}

/// Whether the entry means the path, without the whole text of an entry with a `#`: such an entry may mean a unit.
fn is_covered(entry: &Governed, path: &RepoPath) -> bool {
    entry.literals().any(|literal| path.is_within(literal))
        || entry.path.as_ref().is_ok_and(|pattern| {
            let is_below = glob::has_glob_characters(pattern.as_bstr()) && path.is_within(&glob::literal_base(pattern));
            let compiled = std::str::from_utf8(pattern.as_bstr()).ok().filter(|_| is_below).map(glob::compile);
            compiled.and_then(Result::ok).is_some_and(|glob| glob::is_match(&glob, path))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::source::Position;

    #[test]
    fn a_file_left_the_list_if_no_entry_of_its_scenario_covers_it() {
        let entry = |text: &str| Governed::parse(text, Position::default(), None);
        let (dir, glob, test, other) = (entry("src"), entry("lib/*.rs"), entry("t.sh"), entry("b.rs#f"));
        let mut left = LeftFiles::default();
        left.declare("s", vec![&dir, &glob], Some(&test));
        left.declare("caf\u{e9}", vec![&other], None);
        let id = Oid::from_bytes(&[7; 20]).unwrap();
        let path = |text: &str| RepoPath::from_git(text);
        let see = |left: &mut LeftFiles<'_>, name: &str, kind, paths: &[&str]| {
            let stamp: Vec<_> = paths.iter().map(|text| (path(text), Stamped::File(id))).collect();
            left.see(name, kind, stamp.iter().map(|(path, content)| (path, content)));
        };
        see(&mut left, "s", StampKind::Governed, &["src/a.rs", "lib/a.rs", "lib/a.md", "t.sh"]);
        see(&mut left, "s", StampKind::Test, &["t.sh", "src/a.rs"]);
        see(&mut left, "cafe\u{301}", StampKind::Governed, &["b.rs", "src/a.rs"]);
        see(&mut left, "undeclared", StampKind::Governed, &["c.rs"]);
        left.see("s", StampKind::Governed, [(&path("gone"), &Stamped::Absent)]);
        let found: Vec<_> = left.files.iter().map(|(path, id)| (path.to_string(), id.is_some())).collect();
        let expected = [("gone", false), ("lib/a.md", true), ("src/a.rs", true), ("t.sh", true)];
        assert_eq!(found, expected.map(|(path, is_there)| (path.to_owned(), is_there)));
    }
}
