//! The checking verbs: what may be typed, and the requests that are made of it.

use super::request::{
    Changed, CheckRequest, CheckScope, Hook, HookRequest, PushedRange, ScanRequest, ScanView, ValidateRequest,
};
use super::style::Lookup;
use crate::app::judge::verdict::Older;
use crate::error::{Error, Result};
use crate::report::ScopeMode;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// `pre-commit`, `pre-merge-commit`, `pre-receive`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct HookArgs {
    /// Treat warnings as errors
    #[arg(long)]
    pub(super) strict: bool,
}

/// `pre-push`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PushArgs {
    /// Treat warnings as errors
    #[arg(long)]
    pub(super) strict: bool,
    /// The remote's name, as git gives it
    #[arg(value_name = "REMOTE")]
    pub(super) remote: Option<OsString>,
    /// The remote's URL, as git gives it
    #[arg(value_name = "URL")]
    pub(super) url: Option<OsString>,
}

/// `run`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RunArgs {
    /// The stage, where the framework can tell; otherwise it is found in the environment
    #[arg(long, value_enum, value_name = "STAGE")]
    stage: Option<Stage>,
    /// Treat warnings as errors
    #[arg(long)]
    strict: bool,
}

/// The stages that hook frameworks run us at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stage {
    PreCommit,
    PreMergeCommit,
    PrePush,
    Manual,
}

/// What a range check says of older findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Inherited {
    Count,
    List,
    Hide,
}

impl Inherited {
    fn older(self) -> Older {
        match self {
            Self::Count => Older::Count,
            Self::List => Older::List,
            Self::Hide => Older::Hide,
        }
    }
}

/// `check`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CheckArgs {
    /// Judge the index against HEAD
    #[arg(long, group = "scope")]
    staged: bool,
    /// Judge the whole working tree, or HEAD in a bare repository; the default
    #[arg(long, group = "scope")]
    all: bool,
    /// Judge what the range from A to B changes; needs --to
    #[arg(long, value_name = "A", group = "scope", requires = "to")]
    from: Option<String>,
    /// The end of the range; needs --from
    #[arg(long, value_name = "B", requires = "from", conflicts_with_all = ["staged", "all", "rev"])]
    to: Option<String>,
    /// What to say of findings that were there before the range; one line with their count by default
    #[arg(long, value_enum, value_name = "HOW", requires = "from", conflicts_with_all = ["staged", "all", "rev"])]
    inherited: Option<Inherited>,
    /// Judge the tree of one commit
    #[arg(long, value_name = "REV", group = "scope")]
    rev: Option<String>,
    /// Treat warnings as errors
    #[arg(long)]
    strict: bool,
    /// Report on these paths only
    #[arg(last = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
}

/// `scan`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ScanArgs {
    /// Only the nodes that this branch touched
    #[arg(long)]
    changed: bool,
    /// What the branch is compared with; by default the main branch, or HEAD where there is none
    #[arg(long, value_name = "REF", requires = "changed")]
    base: Option<String>,
    /// Judge the index
    #[arg(long, group = "view")]
    staged: bool,
    /// Judge the tree of one commit
    #[arg(long, value_name = "REV", group = "view")]
    rev: Option<String>,
    /// Only scenarios with this tag; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Treat warnings as errors
    #[arg(long)]
    strict: bool,
    /// Only these nodes: by directory, id or last name; `.` is the one of the current directory, else the only one that
    /// the branch touches
    #[arg(value_name = "NODE")]
    nodes: Vec<String>,
}

/// `validate`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ValidateArgs {
    /// Treat warnings as errors
    #[arg(long)]
    strict: bool,
    /// Scenario files and ledgers
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
}

impl HookArgs {
    /// The request of a hook without arguments of its own.
    pub(super) fn request(self, hook: Hook) -> HookRequest {
        HookRequest { hook, strict: self.strict }
    }
}

impl PushArgs {
    /// The request.
    pub(super) fn request(self) -> HookRequest {
        HookRequest { hook: Hook::PrePush { remote: self.remote, url: self.url }, strict: self.strict }
    }
}

impl RunArgs {
    /// The request, with the stage found as hooks.md says: the flag, then the range of a push or of CI, then prek's
    /// variable, then the index of a commit. What nobody tells stays [`Hook::Untold`], which never looks at nothing.
    ///
    /// # Errors
    /// When a variable that decides holds no text.
    pub(super) fn request(self, env: Lookup<'_>) -> Result<HookRequest> {
        let range = pushed_range(env)?;
        let is_told = range.to.is_some() || range.local_branch.is_some();
        let commits = variable(env, "GIT_INDEX_FILE").is_some();
        let hook = match self.stage {
            Some(Stage::PrePush) => of_range(range),
            Some(Stage::PreCommit | Stage::PreMergeCommit) => of_index(self.stage, commits),
            Some(Stage::Manual) | None if is_told => of_range(range),
            Some(Stage::Manual) | None => match told(env)? {
                Some(Stage::PrePush) => of_range(range),
                told => of_index(told, commits),
            },
        };
        Ok(HookRequest { hook, strict: self.strict })
    }
}

/// The range of a push where a framework says that it is one, by naming the other side; else a range that somebody
/// typed. As a push nothing of it would be new to a remote that has it, and nothing would be looked at.
fn of_range(range: PushedRange) -> Hook {
    let is_push = range.remote.is_some() || range.remote_branch.is_some() || range.local_branch.is_some();
    match (range.from.clone(), range.to.clone()) {
        (Some(from), Some(to)) if !is_push => Hook::Range { from, to },
        _ => Hook::PushedRange(range),
    }
}

/// What is judged where no range is told. A stage of a commit counts only with the index that git names in a commit:
/// prek says `pre-commit`, too, when it runs over all files and nothing is staged.
fn of_index(stage: Option<Stage>, commits: bool) -> Hook {
    match stage {
        _ if !commits => Hook::Untold,
        Some(Stage::PreMergeCommit) => Hook::PreMergeCommit,
        _ => Hook::PreCommit,
    }
}

/// The stage in prek's variable. A stage that is none of ours tells nothing.
fn told(env: Lookup<'_>) -> Result<Option<Stage>> {
    let told = text(env, "PREK_HOOK_STAGE")?;
    Ok(told.and_then(|stage| Stage::from_str(&stage, false).ok()))
}

/// What a framework says about the push in its environment.
pub(super) fn pushed_range(env: Lookup<'_>) -> Result<PushedRange> {
    Ok(PushedRange {
        from: text(env, "PRE_COMMIT_FROM_REF")?,
        to: text(env, "PRE_COMMIT_TO_REF")?,
        local_branch: text(env, "PRE_COMMIT_LOCAL_BRANCH")?,
        remote_branch: text(env, "PRE_COMMIT_REMOTE_BRANCH")?,
        remote: text(env, "PRE_COMMIT_REMOTE_NAME")?,
    })
}

fn variable(env: Lookup<'_>, name: &str) -> Option<OsString> {
    env(name).filter(|value| !value.is_empty())
}

fn text(env: Lookup<'_>, name: &str) -> Result<Option<String>> {
    let Some(value) = variable(env, name) else { return Ok(None) };
    let wrong =
        |_| Error::unchecked(format!("{name} is not UTF-8")).hint("name the stage: yatsu-hook run --stage pre-push");
    value.into_string().map(Some).map_err(wrong)
}

/// Why hooks are switched off by the environment, or `None`. `SKIP` is a list of hook ids, as in pre-commit.
pub(super) fn skipped(env: Lookup<'_>) -> Option<&'static str> {
    if env("YATSU_HOOK").is_some_and(|value| value == "0") {
        return Some("YATSU_HOOK=0");
    }
    let skip = env("SKIP")?.into_string().ok()?;
    skip.split(',').any(|id| id.trim() == "yatsu-hook").then_some("SKIP=yatsu-hook")
}

impl CheckArgs {
    /// The name of what is judged, as reports spell it.
    pub(super) fn mode(&self) -> ScopeMode {
        match self {
            Self { staged: true, .. } => ScopeMode::Staged,
            Self { rev: Some(_), .. } => ScopeMode::Rev,
            Self { from: Some(_), .. } => ScopeMode::Range,
            _ => ScopeMode::All,
        }
    }

    /// The request.
    pub(super) fn request(self) -> CheckRequest {
        let scope = match (self.staged, self.rev, self.from.zip(self.to)) {
            (true, ..) => CheckScope::Staged,
            (_, Some(rev), _) => CheckScope::Rev(rev),
            (.., Some((from, to))) => {
                let older = self.inherited.map(Inherited::older).unwrap_or_default();
                CheckScope::Range { from, to, older }
            }
            _ => CheckScope::All,
        };
        CheckRequest { scope, paths: self.paths, strict: self.strict }
    }
}

impl ScanArgs {
    /// The name of what is judged, as reports spell it.
    pub(super) fn mode(&self) -> ScopeMode {
        match self {
            Self { staged: true, .. } => ScopeMode::Staged,
            Self { rev: Some(_), .. } => ScopeMode::Rev,
            _ => ScopeMode::All,
        }
    }

    /// The request.
    pub(super) fn request(self) -> ScanRequest {
        let view = match self.rev {
            Some(rev) => ScanView::Rev(rev),
            None if self.staged => ScanView::Staged,
            None => ScanView::WorkTree,
        };
        let changed = match self.base {
            Some(base) => Changed::Since(base),
            None if self.changed => Changed::SinceMain,
            None => Changed::All,
        };
        ScanRequest { view, changed, tags: self.tags, nodes: self.nodes, strict: self.strict }
    }
}

impl ValidateArgs {
    /// The request.
    pub(super) fn request(self) -> ValidateRequest {
        ValidateRequest { paths: self.paths, strict: self.strict }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(stage: Option<Stage>, env: &[(&str, &str)]) -> Hook {
        let lookup = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).into());
        RunArgs { stage, strict: false }.request(&lookup).unwrap().hook
    }

    const INDEX: (&str, &str) = ("GIT_INDEX_FILE", ".git/index");

    fn prek(stage: &'static str) -> (&'static str, &'static str) {
        ("PREK_HOOK_STAGE", stage)
    }

    #[test]
    fn run_finds_its_stage_in_the_order_of_the_design() {
        let to = PushedRange { to: Some("b".into()), ..PushedRange::default() };
        let branch = PushedRange { local_branch: Some("refs/heads/x".into()), ..PushedRange::default() };
        let pushed = |range: &PushedRange| Hook::PushedRange(range.clone());
        let untold = PushedRange::default();
        for (stage, env, expected) in [
            // the flag
            (Some(Stage::PreCommit), &[INDEX, prek("pre-push"), ("PRE_COMMIT_TO_REF", "b")][..], Hook::PreCommit),
            (Some(Stage::PreMergeCommit), &[INDEX], Hook::PreMergeCommit),
            (Some(Stage::PrePush), &[INDEX], pushed(&untold)),
            (Some(Stage::Manual), &[INDEX], Hook::PreCommit),
            (Some(Stage::Manual), &[("PRE_COMMIT_TO_REF", "b")], pushed(&to)),
            // the range of a push
            (None, &[("PRE_COMMIT_TO_REF", "b"), INDEX], pushed(&to)),
            (None, &[("PRE_COMMIT_TO_REF", "b"), prek("pre-commit"), INDEX], pushed(&to)),
            (None, &[("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/x"), prek("pre-push")], pushed(&branch)),
            // prek's stage
            (None, &[prek("pre-push"), INDEX], pushed(&untold)),
            (None, &[prek("pre-commit"), INDEX], Hook::PreCommit),
            (None, &[prek("pre-merge-commit"), INDEX], Hook::PreMergeCommit),
            // the index of a commit
            (None, &[INDEX], Hook::PreCommit),
            (None, &[prek("post-checkout"), INDEX], Hook::PreCommit),
            (None, &[prek("manual"), INDEX], Hook::PreCommit),
        ] {
            assert_eq!(hook(stage, env), expected, "{stage:?} {env:?}");
        }
    }

    /// Without the index of a commit nobody commits, whatever stage is named: against HEAD there would be nothing.
    #[test]
    fn run_takes_no_stage_for_a_commit_without_its_index() {
        for stage in ["pre-commit", "pre-merge-commit", "manual", "post-checkout", ""] {
            assert_eq!(hook(None, &[prek(stage)]), Hook::Untold, "{stage}");
            assert_eq!(hook(None, &[prek(stage), ("GIT_INDEX_FILE", "")]), Hook::Untold, "{stage}");
        }
        assert_eq!(hook(None, &[]), Hook::Untold);
        for stage in [Stage::PreCommit, Stage::PreMergeCommit, Stage::Manual] {
            assert_eq!(hook(Some(stage), &[]), Hook::Untold, "{stage:?}");
        }
    }

    #[test]
    fn a_range_without_a_remote_is_one_that_somebody_typed() {
        let (from, to) = (("PRE_COMMIT_FROM_REF", "a"), ("PRE_COMMIT_TO_REF", "b"));
        let typed = Hook::Range { from: "a".into(), to: "b".into() };
        for stage in ["pre-commit", "pre-push", "manual"] {
            assert_eq!(hook(None, &[from, to, prek(stage)]), typed, "{stage}");
        }
        assert_eq!(hook(Some(Stage::PrePush), &[from, to]), typed);
        let remote = ("PRE_COMMIT_REMOTE_NAME", "up");
        assert!(matches!(hook(None, &[from, to, remote]), Hook::PushedRange(_)));
    }

    #[cfg(unix)]
    #[test]
    fn a_variable_that_is_no_text_is_an_error() {
        use std::os::unix::ffi::OsStringExt;
        let lookup = |name: &str| (name == "PRE_COMMIT_TO_REF").then(|| OsString::from_vec(b"\xff".to_vec()));
        let error = RunArgs::default().request(&lookup).unwrap_err();
        assert_eq!((error.kind.exit_code(), error.hints.len()), (3, 1));
    }

    #[test]
    fn the_environment_switches_hooks_off() {
        for (name, value, expected) in [
            ("YATSU_HOOK", "0", Some("YATSU_HOOK=0")),
            ("YATSU_HOOK", "1", None),
            ("YATSU_HOOK", "", None),
            ("SKIP", "yatsu-hook", Some("SKIP=yatsu-hook")),
            ("SKIP", "lint, yatsu-hook", Some("SKIP=yatsu-hook")),
            ("SKIP", "yatsu-hook-system", None),
            ("SKIP", "", None),
        ] {
            assert_eq!(skipped(&|asked| (asked == name).then(|| value.into())), expected, "{name}={value}");
        }
    }
}
