//! The verdict of a reading, as every form prints it.

use serde::Serialize;

/// The verdict of a reading on its scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShownVerdict {
    /// The result was as expected.
    Pass,
    /// The result was not as expected.
    Fail,
    /// The reading was filed before readings had verdicts.
    Legacy,
}

impl ShownVerdict {
    /// The public spelling.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Legacy => "legacy",
        }
    }
}
