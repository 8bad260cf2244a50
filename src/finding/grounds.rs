//! The kind of cause of a finding.

/// The kind of cause of a finding: how much of a scenario file is wrong, or why a reading counts as it does. The verdict
/// uses it to decide which findings follow from which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grounds {
    /// No other finding follows from this one.
    #[default]
    Itself,
    /// Paths that are named and do not exist; [`super::Finding::about`] lists them.
    Path,
    /// An entry of a scenario file, or a line of a run log.
    Entry,
    /// A scenario file without a readable entry.
    File,
    /// A budget, not the measured result.
    Budget,
}
