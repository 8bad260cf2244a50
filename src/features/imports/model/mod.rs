//! Reports of test runners, files of other tools, and the answer about filed reports.

pub(crate) mod answer;
pub mod feature_file;
pub mod test_report;
