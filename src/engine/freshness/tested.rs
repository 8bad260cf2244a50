//! The test of a scenario is an evaluator, and its content is the version (freshness.md, "The test"). The stamp of the test is
//! compared as the stamp of a list with one entry.

use super::code::Code;
use super::narrow::UnitTestimony;
use super::{Judge, MeasuredContent, MovedContent};
use crate::error::Result;
use crate::finding::DriftWhy;
use crate::model::governed::Governed;
use crate::model::ledger::Reading;
use crate::model::node::Declared;
use crate::tree::path::RepoPath;

impl Judge<'_> {
    /// What moved of the test that measured `reading`; nothing if the reading has no stamp of a test.
    pub(super) fn test(&self, asked: Declared<'_>, reading: &Reading, testifies: UnitTestimony) -> Result<Code> {
        let Some(measured) = MeasuredContent::of_test(reading) else { return Ok(Code::default()) };
        // Without a stamped unit the whole file was measured. Nothing is parsed then: a server may not.
        let declared =
            if measured.units.is_empty() { asked.scenario.test.clone() } else { asked.scenario.test_entry() };
        let code = self.code(asked, declared.as_slice(), measured, testifies)?;
        // another test that the reading cannot speak about
        let unknown = declared.iter().filter(|_| code.unknown).flat_map(|entry: &Governed| entry.path.as_ref().ok());
        let unknown = unknown.map(|path: &RepoPath| MovedContent::whole(path.clone()));
        let moved = code.moved.iter().cloned().chain(unknown);
        let moved = moved.map(|moved| MovedContent { why: Some(DriftWhy::TestChanged), ..moved }).collect();
        Ok(Code { moved, ..code })
    }
}
