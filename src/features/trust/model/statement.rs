//! Readings as an export states them.

use crate::report::view::terms::SignerRow;

/// A reading with a verdict.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StatedReading {
    /// The directory of its node; `.` for the top of the repository.
    pub dir: String,
    /// The path of the scenario file.
    pub file: String,
    pub scenario: String,
    /// The environment, if the scenario lists environments.
    pub env: Option<String>,
    pub passed: bool,
    /// The stamped files that were there, sorted by path.
    pub files: Vec<StatedFile>,
    /// The commit of the measurement.
    pub commit: Option<String>,
    /// Whether the measured content is the commit's.
    pub is_committed: bool,
    pub scenario_hash: Option<String>,
    pub ts: String,
    pub evaluator: Option<String>,
    /// What speaks for it: `claimed`, `observed`, `signed` or `independent`.
    pub grade: &'static str,
    pub signers: Vec<SignerRow>,
    /// The kind and the sha256 of each piece.
    pub evidence: Vec<(&'static str, String)>,
}

/// A stamped file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StatedFile {
    pub path: String,
    /// The id of its blob, or of the commit that a submodule is at.
    pub id: String,
    pub is_submodule: bool,
}

impl StatedReading {
    /// The node and the scenario, for example `.spec/greeting#greets`.
    pub(crate) fn name(&self) -> String {
        let env = self.env.as_ref().map_or(String::new(), |env| format!(" [{env}]"));
        format!("{}#{}{env}", self.dir, self.scenario)
    }
}
