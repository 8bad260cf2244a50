//! Run logs as data: one JSONL file in which one writer tells what a run does, event by event. Purpose: what a profile says
//! ([`profile`], three of them [`builtin`]), what a physical line is and which events stand in it ([`line`], [`event`]), how
//! their times are spelled ([`moment`]), and the names of everything that can be wrong ([`code`]). Bytes in, values and
//! every fault out; no judgement of a whole log (that is `engine::runlog`), no git, no disk.

pub mod builtin;
pub mod code;
pub mod event;
pub mod line;
pub mod moment;
pub mod place;
pub mod profile;
mod profile_read;
pub mod weaker;
pub mod write;

pub use profile_read::parse as parse_profile;
