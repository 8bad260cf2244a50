//! What imports find in the files of other tools, and the readings that they file.

pub(crate) mod drafts;
pub(crate) mod filing;
mod matching;
