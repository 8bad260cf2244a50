//! Run logs from end to end: profiles against their published schema, and the program's answers about logs.

mod check;
mod full;
mod goals;
mod hints;
mod laundry;
mod page;
mod profiles;
mod random;
mod resume;
pub mod verbs;
