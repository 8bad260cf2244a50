//! Scenarios in a file of another tool, for example in a feature file of Gherkin.

/// The content of such a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureFile {
    /// The tool that wrote it, for example `gherkin`.
    pub kind: &'static str,
    /// At least one, at most 500.
    pub scenarios: Vec<FoundScenario>,
    /// The requirements that an OpenSpec delta removes; they are skipped.
    pub removed: usize,
    /// The requirements that an OpenSpec delta renames; they are skipped.
    pub renamed: usize,
    /// The lines, counted from 1, that look like scenarios and are not spelled as one, for example `### scenario: pays`.
    pub near: Vec<usize>,
}

/// One scenario of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundScenario {
    /// One line, never blank; another scenario may have the same name.
    pub name: String,
    /// The steps before the first Then, if there are any.
    pub description: Option<String>,
    /// The first Then and what follows it.
    pub expected: Option<String>,
    /// Its tags that the library has.
    pub tags: Vec<String>,
}
