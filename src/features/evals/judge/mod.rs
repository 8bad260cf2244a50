//! Where a reading is filed, what its runs decide, and the decision that a scenario is blocked.

pub(crate) mod blocked;
pub(crate) mod counted;
