//! The spec files, scenario files and ledgers that were parsed at the commits before, by the ids of their contents. A commit
//! changes few of them, and a node is judged again for each governed file that moves.

use crate::model::ledger::Ledger;
use crate::model::node::Spec;
use crate::model::scenario::ScenarioFile;
use crate::model::workspace::ParsedBefore;
use crate::tree::ContentKey;
use crate::tree::path::RepoPath;
use foldhash::HashMap;
use std::cell::RefCell;

/// The last content of each path, parsed. Older contents are forgotten, so that a long walk takes no more memory than a short one.
struct LastParsed<T>(RefCell<HashMap<RepoPath, (ContentKey, T)>>);

impl<T> Default for LastParsed<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Clone> LastParsed<T> {
    fn get(&self, path: &RepoPath, key: ContentKey) -> Option<T> {
        let known = self.0.borrow();
        known.get(path).filter(|(of, _)| *of == key).map(|(_, parsed)| parsed.clone())
    }

    fn learn(&self, path: &RepoPath, key: ContentKey, parsed: T) {
        self.0.borrow_mut().insert(path.clone(), (key, parsed));
    }
}

/// The parsed files.
#[derive(Default)]
pub(super) struct ParsedFiles {
    specs: LastParsed<Spec>,
    /// Each with the tags by which it was parsed.
    scenarios: LastParsed<(Vec<String>, ScenarioFile)>,
    ledgers: LastParsed<Ledger>,
}

impl ParsedBefore for ParsedFiles {
    fn spec(&self, path: &RepoPath, key: ContentKey) -> Option<Spec> {
        self.specs.get(path, key)
    }

    fn scenarios(&self, path: &RepoPath, key: ContentKey, library: &[String]) -> Option<ScenarioFile> {
        self.scenarios.get(path, key).filter(|(by, _)| by == library).map(|(_, file)| file)
    }

    // whole: the changes between two commits are told from the lines of both
    fn latest(&self, path: &RepoPath, key: ContentKey) -> Option<Ledger> {
        self.whole(path, key)
    }

    fn learn_spec(&self, key: ContentKey, spec: &Spec) {
        self.specs.learn(&spec.path, key, spec.clone());
    }

    fn learn_scenarios(&self, key: ContentKey, file: &ScenarioFile, library: &[String]) {
        self.scenarios.learn(&file.path, key, (library.to_vec(), file.clone()));
    }

    fn learn_ledger(&self, key: ContentKey, ledger: &Ledger) {
        self.learn_whole(key, ledger);
    }

    fn whole(&self, path: &RepoPath, key: ContentKey) -> Option<Ledger> {
        self.ledgers.get(path, key)
    }

    fn learn_whole(&self, key: ContentKey, ledger: &Ledger) {
        self.ledgers.learn(&ledger.path, key, ledger.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::scenario;
    use crate::tree::oid::Oid;

    #[test]
    fn a_file_is_known_by_its_content_and_its_tags_until_its_path_has_another() {
        let (known, path) = (ParsedFiles::default(), RepoPath::from_git("n/yatsu.md"));
        let key = |digit: &str| ContentKey::Blob(Oid::from_hex(digit.repeat(40).as_bytes()).unwrap());
        let tags = vec!["cli".to_owned()];
        let file = scenario::parse(&path, b"---\nscenarios: []\n---\n", &tags);
        known.learn_scenarios(key("1"), &file, &tags);
        let has = |digit: &str, tags: &[String]| known.scenarios(&path, key(digit), tags).is_some();
        assert!(has("1", &tags) && !has("2", &tags) && !has("1", &[]));
        assert!(known.scenarios(&RepoPath::from_git("m/yatsu.md"), key("1"), &tags).is_none());
        known.learn_scenarios(key("2"), &file, &tags);
        assert!(has("2", &tags) && !has("1", &tags), "one content a path is kept");
    }
}
