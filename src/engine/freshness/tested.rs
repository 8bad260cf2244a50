//! The test of a scenario is an evaluator, and its content is the version (freshness.md, "The test"). The stamp of the test is
//! compared as the stamp of a list with one entry. A reading of one test says nothing about another one: about a test in
//! another file, or about another unit of the same file. A test that could not be stamped is compared with the commit.

use super::code::Code;
use super::narrow::UnitTestimony;
use super::{Judge, MeasuredContent, MovedContent};
use crate::engine::anchors::Testimony;
use crate::error::{Error, Result};
use crate::finding::DriftWhy;
use crate::model::governed::Governed;
use crate::model::ledger::{Reading, Stamped, TestAtCommit};
use crate::model::node::Declared;
use crate::model::stamp::{Expansion, expand, is_glob};
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// The files of an entry by their names below it.
fn below<'e>(files: &'e Expansion, top: &RepoPath) -> BTreeMap<&'e [u8], Stamped> {
    let name = |path: &'e RepoPath| path.as_bstr().strip_prefix(top.as_bstr() as &[u8]).unwrap_or(path.as_bstr());
    files.files.iter().map(|(path, content)| (name(path), *content)).collect()
}

/// The moved content of a test.
fn changed(moved: BTreeSet<MovedContent>) -> BTreeSet<MovedContent> {
    moved.into_iter().map(|moved| MovedContent { why: Some(DriftWhy::TestChanged), ..moved }).collect()
}

impl Judge<'_> {
    /// What moved of the test that measured `reading`, and the declared test if it is another one; nothing if the reading says
    /// nothing about a test.
    pub(super) fn test(&self, asked: Declared<'_>, reading: &Reading, testifies: UnitTestimony) -> Result<Code> {
        let unstamped = reading.test.as_ref().filter(|_| reading.has_unstamped_test());
        if let Some(then) = unstamped.and_then(|test| test.at_commit.as_ref()) {
            return self.test_since_commit(asked, reading, then);
        }
        let Some(measured) = MeasuredContent::of_test(reading) else { return Ok(Code::default()) };
        // Without a stamped unit the whole file was measured. Nothing is parsed then: a server may not.
        let declared =
            if measured.units.is_empty() { asked.scenario.test.clone() } else { asked.scenario.test_entry() };
        let paths = declared.iter().flat_map(|entry: &Governed| entry.path.as_ref().ok());
        let all = paths.map(|path: &RepoPath| MovedContent::whole(path.clone()));
        let code = match &declared {
            Some(entry) if self.is_other_test(entry, measured)? => {
                Code { moved: all.collect(), is_proved: true, ..Code::default() }
            }
            _ => {
                let code = self.code(asked, declared.as_slice(), measured, testifies)?;
                // Another file. No clone can know better, as no commit is asked; but a unit may have come from a file that
                // only another clone can read.
                let is_whole = measured.units.is_empty() || !self.narrows;
                let moved: BTreeSet<_> = code.moved.into_iter().chain(all.filter(|_| code.unknown)).collect();
                Code { is_proved: code.is_proved || is_whole && !moved.is_empty(), moved, ..code }
            }
        };
        Ok(Code { moved: changed(code.moved), ..code })
    }

    /// The same for a test without a stamp: it must be declared as it was, and be the one of the commit. It is unknown if it
    /// was not committed, and if the commit is not here.
    fn test_since_commit(&self, asked: Declared<'_>, reading: &Reading, then: &TestAtCommit) -> Result<Code> {
        let declared = asked.scenario.test.as_ref();
        let path = declared.and_then(|entry| entry.path.as_ref().ok());
        let Some(entry) = declared.filter(|_| path == Some(&then.entry)) else {
            return self.test_at_another_path(declared.zip(path), reading, then);
        };
        if !then.is_same {
            return Ok(Code { unknown: true, ..Code::default() });
        }
        let units = BTreeMap::new();
        let measured = MeasuredContent { files: None, units: &units, commit: reading.code_sha, dirty: false };
        let code = self.code(asked, std::slice::from_ref(entry), measured, UnitTestimony::File)?;
        Ok(Code { moved: changed(code.moved), ..code })
    }

    /// The same for a test that is declared at another path. It is the measured one if it moved whole, each file under its name,
    /// for example with its node; anything else is another test.
    fn test_at_another_path(
        &self,
        declared: Option<(&Governed, &RepoPath)>,
        reading: &Reading,
        then: &TestAtCommit,
    ) -> Result<Code> {
        let path = declared.map_or(&then.entry, |(_, path)| path);
        let other = Code { moved: changed([MovedContent::whole(path.clone())].into()), ..Code::default() };
        let stayed = || Ok::<_, Error>(self.contents.view.kind(&then.entry)?.is_some());
        let Some((entry, path)) = declared.filter(|(entry, _)| then.is_same && !is_glob(entry)) else {
            return Ok(Code { is_proved: true, ..other });
        };
        // a test that is still there did not move, in any clone
        if stayed()? {
            return Ok(Code { is_proved: true, ..other });
        }
        let Testimony::Tree(tree) = self.measured(reading.code_sha)? else {
            return Ok(Code { unknown: true, ..Code::default() });
        };
        let was = Governed { text: then.entry.to_string(), path: Ok(then.entry.clone()), ..entry.clone() };
        let is_it = tree.kind(&then.entry)?.is_some()
            && below(&expand(&*tree, &was)?, &then.entry) == below(&expand(self.contents.view, entry)?, path);
        Ok(if is_it { Code { appeared: true, ..Code::default() } } else { other })
    }

    /// Whether one test of a file was measured, and `declared` is another one: it has another name, or its file is another one
    /// and no new name of the measured one.
    fn is_other_test(&self, declared: &Governed, measured: MeasuredContent<'_>) -> Result<bool> {
        for unit in measured.units.keys().filter(|unit| declared.symbol() == Some(&*unit.symbol)) {
            if declared.literals().any(|path| *path == unit.path) || self.contents.view.kind(&unit.path)?.is_none() {
                return Ok(false);
            }
        }
        Ok(!measured.units.is_empty())
    }
}
