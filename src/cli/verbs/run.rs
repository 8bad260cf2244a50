//! `run`: finds the stage for a framework that may not name it (hooks.md).

use super::hook::{self, Hook};
use crate::cli::Exit;
use crate::cli::args::check::{RunArgs, Stage};
use crate::cli::call::Call;
use crate::cli::framework::{PushedRange, pushed_range, text, variable};
use crate::cli::style::Lookup;
use crate::error::Result;
use clap::ValueEnum;

pub(crate) fn run(call: Call<'_>, args: &RunArgs) -> Result<Exit> {
    let hook = hook_of(args.stage, &|name| std::env::var_os(name))?;
    hook::hook(call, &hook, args.strict)
}

/// The hook to run, in the order of hooks.md: the flag, then the range of a push or of CI, then prek's variable, then the
/// index of a commit. Without any of these it is [`Hook::Untold`], which never judges an empty set.
///
/// # Errors
/// If a deciding variable is not UTF-8.
fn hook_of(stage: Option<Stage>, env: Lookup<'_>) -> Result<Hook> {
    let range = pushed_range(env)?;
    let is_told = range.push.is_enough();
    let commits = variable(env, "GIT_INDEX_FILE").is_some();
    Ok(match stage {
        Some(Stage::PrePush) => of_range(range),
        Some(Stage::PreCommit | Stage::PreMergeCommit) => of_index(stage, commits),
        Some(Stage::Manual) | None if is_told => of_range(range),
        Some(Stage::Manual) | None => match told(env)? {
            Some(Stage::PrePush) => of_range(range),
            told => of_index(told, commits),
        },
    })
}

/// A push, if the framework names a remote or a branch; otherwise a range that a user typed. A typed range must not be
/// judged as a push: the remote may have its commits, and then nothing would be judged.
fn of_range(range: PushedRange) -> Hook {
    let push = &range.push;
    let is_push = range.remote.name.is_some() || push.remote_branch.is_some() || push.local_branch.is_some();
    match (push.from.clone(), push.to.clone()) {
        (Some(from), Some(to)) if !is_push => Hook::Range { from, to },
        _ => Hook::PushedRange(range),
    }
}

/// The hook without a range. A commit stage counts only with the index that git names in a commit, because prek also says
/// `pre-commit` when it runs over all files and nothing is staged.
fn of_index(stage: Option<Stage>, commits: bool) -> Hook {
    match stage {
        _ if !commits => Hook::Untold,
        Some(Stage::PreMergeCommit) => Hook::PreMergeCommit,
        _ => Hook::PreCommit,
    }
}

/// The stage in prek's variable; `None` for an unknown stage.
fn told(env: Lookup<'_>) -> Result<Option<Stage>> {
    let told = text(env, "PREK_HOOK_STAGE")?;
    Ok(told.and_then(|stage| Stage::from_str(&stage, false).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::doors::push::FrameworkPush;

    fn hook(stage: Option<Stage>, env: &[(&str, &str)]) -> Hook {
        let lookup = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).into());
        hook_of(stage, &lookup).unwrap()
    }

    const INDEX: (&str, &str) = ("GIT_INDEX_FILE", ".git/index");

    fn prek(stage: &'static str) -> (&'static str, &'static str) {
        ("PREK_HOOK_STAGE", stage)
    }

    #[test]
    fn run_finds_its_stage_in_the_order_of_the_design() {
        let of = |push| PushedRange { push, remote: crate::app::doors::push::Remote::default() };
        let to = of(FrameworkPush { to: Some("b".into()), ..FrameworkPush::default() });
        let branch = of(FrameworkPush { local_branch: Some("refs/heads/x".into()), ..FrameworkPush::default() });
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

    /// Without the index of a commit there is no commit, whatever stage is named. Judged against HEAD, nothing would have
    /// changed.
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
        use std::ffi::OsString;
        use std::os::unix::ffi::OsStringExt;
        let lookup = |name: &str| (name == "PRE_COMMIT_TO_REF").then(|| OsString::from_vec(b"\xff".to_vec()));
        let error = hook_of(None, &lookup).unwrap_err();
        assert_eq!((error.kind.exit_code(), error.hints.len()), (3, 1));
    }
}
