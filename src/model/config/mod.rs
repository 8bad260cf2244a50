//! `spexcode.json`: the repository's settings for its gate (formats.md). Input: bytes. Output: a [`Config`], or the first
//! fault with its position; never a silent default. Also finds how a change of it weakens the gate.

mod agents;
mod budgets;
pub(crate) mod feature;
mod lacking;
mod lowered;
mod needs;
mod parse;
#[cfg(test)]
mod tests;
pub(crate) mod values;

use crate::names::CONFIG_FILE;
pub use agents::{AgentsConfig, ClaimNotice, Observe, Stop};
pub(crate) use feature::{FeatureConfig, FeatureSettings, ShownSetting, feature_settings};
pub(crate) use lacking::{Lack, flag};
pub use lowered::lowered;
pub(crate) use needs::Needs;
pub use parse::MAX_CONFIG;
pub(crate) use parse::rank;
pub use parse::{parse, parse_for_agents};

use super::budgets::Budgets;
use super::glob::Globs;
use super::ledger::EvidenceKind;
use super::parts::Parts;
use crate::finding::{Level, RuleId};
use crate::text::spelled::spelled;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// The effective configuration, defaults filled in (formats.md, `spexcode.json`).
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `lint.scenarioTags`; empty turns the membership check off.
    pub scenario_tags: Vec<String>,
    /// `lint.maxOwners`.
    pub max_owners: usize,
    /// `lint.sourceExtensions`, without dots; `None` for [`SOURCE_EXTENSIONS`], which no run copies.
    pub(crate) source_extensions: Option<Vec<String>>,
    /// `lint.governedRoots`: where every source file has to be governed; empty asks for nothing.
    pub(crate) governed_roots: Vec<RepoPath>,
    /// `lint.sourceIncludeGlobs`: what counts as source there; empty for the extensions.
    pub(crate) source_globs: Globs,
    /// `lint.sourceExcludeGlobs`: what does not.
    pub(crate) source_exclude: Globs,
    pub(crate) main_branch: Option<String>,
    /// `yatsu.needs`: the oldest program that may judge; this one is not older.
    pub(crate) needs: Option<Needs>,
    /// `yatsu.roots`, normalised; the top directory for `.`.
    pub roots: Vec<RepoPath>,
    /// `yatsu.rules`; `None` is `off`.
    pub rules: BTreeMap<RuleId, Option<Level>>,
    /// `yatsu.evaluators`: name to current version; always includes `manual`.
    pub evaluators: BTreeMap<String, String>,
    /// `yatsu.evidenceFor`: tag to accepted kinds.
    pub evidence_for: BTreeMap<String, Vec<EvidenceKind>>,
    /// `yatsu.stampContent`.
    pub stamp_content: bool,
    /// `yatsu.allowInTree`: files that may be both evidence and tracked.
    pub allow_in_tree: Globs,
    /// `yatsu.protect`: branches besides the main one; their ledgers may never lose a line.
    pub protect: Globs,
    /// `yatsu.redact`: whether a line may be replaced by its redaction; `refuse` is false.
    pub redact: bool,
    pub(crate) budgets: Budgets,
    pub(crate) agents: AgentsConfig,
    pub(crate) segments: Segments,
    /// `yatsu.coverageIgnore`: files that `under-declared` never names.
    pub coverage_ignore: Globs,
    /// `yatsu.exclude`: paths that are ignored.
    pub exclude: Globs,
    /// The settings that the file itself contains, with dots between the levels: `lint.maxOwners`,
    /// `yatsu.rules.yatsu-drift`.
    pub given: BTreeSet<String>,
    /// The settings of features.
    pub(crate) parts: Parts,
    /// Keys outside `yatsu` that are similar to a setting. Other tools own some keys there.
    pub slips: Vec<Slip>,
}

spelled! {
    /// `yatsu.segments`: whether new lines of ledgers go into segments, files of their own.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Segments {
        /// Where the repository has a remote.
        #[default]
        Auto = "auto",
        /// Everywhere.
        Always = "always",
        /// Nowhere: into the trunk file.
        Never = "never",
    }
}

/// An unknown key that looks like a misspelt known key, for example `mainbranch`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slip {
    /// The key, with dots between the levels.
    pub key: String,
    /// The setting that was probably meant.
    pub meant: String,
}

/// The tag library of a repository without its own.
const SCENARIO_TAGS: [&str; 5] = ["frontend-e2e", "backend-api", "cli", "desktop", "mobile"];

/// Extensions of programming languages. Styles, data, prose and shell scripts are left out, because they rarely have a
/// scenario of their own.
const SOURCE_EXTENSIONS: &[&str] = &[
    "ada", "adb", "ads", "asm", "astro", "c", "cc", "cjs", "clj", "cljc", "cljs", "coffee", "cpp", "cr", "cs", "cts",
    "cu", "cxx", "d", "dart", "elm", "erl", "ex", "exs", "f90", "fs", "fsx", "gd", "gleam", "go", "groovy", "h", "hh",
    "hpp", "hrl", "hs", "hx", "hxx", "java", "jl", "js", "jsx", "kt", "kts", "lua", "m", "mjs", "ml", "mli", "mm",
    "mts", "nim", "odin", "pas", "php", "pl", "pm", "proto", "ps1", "purs", "py", "pyx", "r", "rb", "re", "rkt", "rs",
    "s", "scala", "scm", "sol", "sql", "sv", "svelte", "swift", "tcl", "ts", "tsx", "v", "vala", "vb", "vhd", "vhdl",
    "vue", "wat", "zig",
];

impl Default for Config {
    fn default() -> Self {
        Self {
            scenario_tags: SCENARIO_TAGS.map(String::from).to_vec(),
            max_owners: 3,
            source_extensions: None,
            governed_roots: Vec::new(),
            source_globs: Globs::default(),
            source_exclude: Globs::default(),
            main_branch: None,
            needs: None,
            roots: vec![RepoPath::from_git(".spec")],
            rules: BTreeMap::new(),
            evaluators: BTreeMap::from([("manual".into(), "1".into())]),
            evidence_for: BTreeMap::new(),
            stamp_content: true,
            allow_in_tree: Globs::default(),
            protect: Globs::default(),
            redact: true,
            budgets: Budgets::default(),
            agents: AgentsConfig::default(),
            segments: Segments::default(),
            coverage_ignore: Globs::default(),
            exclude: Globs::default(),
            given: BTreeSet::new(),
            parts: Parts::default(),
            slips: Vec::new(),
        }
    }
}

impl Config {
    /// The level of findings of `rule`, `default` without configuration; `None` is off.
    pub(crate) fn level(&self, rule: RuleId, default: Level) -> Option<Level> {
        self.rules.get(&rule).copied().unwrap_or(Some(default))
    }

    /// Whether the configuration raises `rule` above its default.
    pub(crate) fn raises(&self, rule: RuleId) -> bool {
        self.level(rule, rule.default_level()) > Some(rule.default_level())
    }

    /// The extensions of source files, without dots.
    pub fn source_extensions(&self) -> Vec<&str> {
        match &self.source_extensions {
            Some(given) => given.iter().map(String::as_str).collect(),
            None => SOURCE_EXTENSIONS.to_vec(),
        }
    }

    /// The deepest root above a directory; `None` outside all roots.
    pub(crate) fn root_of(&self, dir: &RepoPath) -> Option<&RepoPath> {
        self.roots.iter().filter(|root| dir.is_within(root)).max_by_key(|root| root.as_bstr().len())
    }
}
