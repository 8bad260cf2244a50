//! The verdict of a reading, as every form prints it.

/// What a reading says of its scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownVerdict {
    /// It was as expected.
    Pass,
    /// It was not.
    Fail,
    /// It was filed before readings said either.
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
