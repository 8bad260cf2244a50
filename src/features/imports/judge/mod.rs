//! What imports find in the files of other tools.

pub(super) mod drafts;
