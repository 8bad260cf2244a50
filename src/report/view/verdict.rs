//! The verdict of a reading, as every form prints it.

use crate::text::spelled::spelled;

spelled! {
    /// The verdict of a reading on its scenario.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ShownVerdict {
        /// The result was as expected.
        Pass = "pass",
        /// The result was not as expected.
        Fail = "fail",
        /// The reading was filed before readings had verdicts.
        Legacy = "legacy",
    }
}
