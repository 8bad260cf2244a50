//! What a feature adds to a filing: one [`FilingStep`] for a command, one [`BegunStep`] once the work tree is known, one
//! [`FilingAdvice`] for each reading.

use crate::app::site::Site;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::ledger::{Reading, Timestamp};
use crate::model::node::{Declared, Node};
use crate::report::view::receipt::FilingOutcome;
use crate::store::Store;
use crate::store::evidence::Source;
use crate::store::kind::Expect;
use crate::store::lock::LedgerLock;

/// A reading that is about to be filed.
pub(crate) struct AskedReading<'a> {
    pub site: &'a dyn Site,
    pub store: &'a Store,
    pub config: &'a Config,
    /// All nodes of the work tree.
    pub nodes: &'a [Node],
    pub one: Declared<'a>,
    /// Its number among [`FiledCases::filed`]; 0 for a reading that is filed by hand.
    pub number: usize,
    /// When it is filed.
    pub now: Timestamp,
}

/// A case of a test report, as the report spells it.
pub(crate) struct CaseName<'a> {
    /// Empty if the report names no class.
    pub classname: &'a str,
    pub name: &'a str,
}

/// The cases of test reports from which readings are filed.
pub(crate) struct FiledCases<'a> {
    pub cases: Vec<CaseName<'a>>,
    /// Every case by its index, once for each scenario that it may measure, or with none.
    pub owners: Vec<(usize, Option<usize>)>,
    /// The numbers of the scenarios for which a reading is filed.
    pub filed: Vec<usize>,
}

/// What was typed, read and not judged yet.
pub(crate) trait FilingStep {
    /// Says the verdict of a draft that has none, and the evidence for it.
    ///
    /// # Errors
    /// Refused if what was typed says nothing about the scenario as it is now.
    fn verdict(&self, _: &AskedReading<'_>, _: &mut Reading) -> Result<Option<(Expect, Source)>> {
        Ok(None)
    }

    /// A sentence if the measurement may be about other content. `--strict` refuses for it.
    ///
    /// # Errors
    /// When the work tree cannot be read.
    fn doubt(&self, _: &AskedReading<'_>, _: &Reading) -> Result<Option<String>> {
        Ok(None)
    }

    /// Asks other machines whether a reading may be filed, before anything is read. A sentence if they do not answer.
    ///
    /// # Errors
    /// Refused if it may not.
    fn confirm(&self, _: &dyn Site, _: &Store, _: Timestamp) -> Result<Option<String>> {
        Ok(None)
    }

    /// Adds to a draft that nothing refuses.
    ///
    /// # Errors
    /// Refused if the reading may not be filed.
    fn dress(&self, _: &AskedReading<'_>, _: &mut Reading) -> Result<()> {
        Ok(())
    }

    /// Decides whether the reading may be filed: under the lock, or by what is known without it.
    ///
    /// # Errors
    /// Refused if it may not.
    fn guard<'l>(
        &self,
        _: &AskedReading<'_>,
        _: Option<&'l LedgerLock>,
        _: FilingOutcome,
        _: &Reading,
    ) -> Result<Option<Box<dyn FilingGuard + 'l>>> {
        Ok(None)
    }

    /// Tells other machines that the reading is filed. A sentence if they do not answer.
    fn told(&self, _: &dyn Site, _: &Store, _: Timestamp) -> Option<String> {
        None
    }

    /// Judges what was typed against the work tree; `None` if that adds nothing. The cases are `None` for a reading that is
    /// filed by hand.
    ///
    /// # Errors
    /// Refused if what was typed does not fit the work tree.
    fn begin<'s>(
        &'s self,
        _: &dyn Site,
        _: &[Node],
        _: Option<&FiledCases<'_>>,
    ) -> Result<Option<Box<dyn BegunStep + 's>>> {
        Ok(None)
    }
}

/// A reading that may be filed, and what follows on it.
pub(crate) trait FilingGuard {
    /// Whether the right to file it had expired, and nobody else has it.
    fn is_late(&self) -> bool;

    /// Called under the lock, once the line of the reading stands.
    ///
    /// # Errors
    /// When what follows cannot be written.
    fn filed(self: Box<Self>) -> Result<()>;
}

/// What was typed, judged against the work tree.
pub(crate) trait BegunStep {
    /// Warnings about the whole command.
    fn warnings(&self) -> &[String];

    /// Whether the reading with this number gets something.
    fn concerns(&self, number: usize) -> bool;

    /// Adds to the draft of a reading; `None` if it gets nothing.
    ///
    /// # Errors
    /// When the work tree cannot be read.
    fn complete(&self, asked: &AskedReading<'_>, draft: &mut Reading) -> Result<Option<Box<dyn FilingAdvice>>>;
}

/// What is said about one reading after it was filed.
pub(crate) trait FilingAdvice {
    /// Warnings: `draft` is what was given, `reading` what the ledger holds.
    ///
    /// # Errors
    /// When the draft cannot be written as a line.
    fn advice(&self, outcome: FilingOutcome, draft: &Reading, reading: &Reading) -> Result<Vec<String>>;

    /// Lines for `-v`.
    fn details(&self) -> Vec<String>;
}
