//! What a finding rests on.

/// What a finding rests on: how much is wrong with a scenario file, or why a reading counts as it does. Two findings of
/// which one follows from the other are told by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grounds {
    /// Nothing that anything else would follow from.
    #[default]
    Itself,
    /// Paths that are named and not there; [`super::Finding::about`] has them.
    Path,
    /// An entry of a scenario file, or a line of a run log.
    Entry,
    /// A scenario file of which no entry could be read.
    File,
    /// A budget, and not what was measured.
    Budget,
}
