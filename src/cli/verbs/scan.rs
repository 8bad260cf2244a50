//! `scan`: the score of the repository.

use crate::app::doors::scan::{self as scoring, ScanRequest, Since};
use crate::app::judge::snapshot::ScoredContent;
use crate::app::judge::verdict::Reader;
use crate::cli::Exit;
use crate::cli::args::check::ScanArgs;
use crate::cli::call::Call;
use crate::cli::global::Verbosity;
use crate::cli::parsing;
use crate::error::Result;
use crate::repo::Repo;
use crate::report::{Report, SINGLES_LISTED};
use crate::tree::path::RepoPath;

pub(super) fn scan(call: Call<'_>, args: ScanArgs) -> Result<Exit> {
    let repo = call.repo()?;
    let (limit, strict) = (args.limit, args.strict);
    print(call, &repo, request(args, call.standing(&repo)), limit, strict)
}

/// `check` alone. CI may call it as a gate, so it blocks what `check --all` blocks: evidence is found by content, too.
pub(super) fn whole(call: Call<'_>) -> Result<Exit> {
    let request = ScanRequest { by_content: true, ..ScanRequest::default() };
    print(call, &call.repo()?, request, SINGLES_LISTED, false)
}

fn print(call: Call<'_>, repo: &Repo, request: ScanRequest, limit: usize, strict: bool) -> Result<Exit> {
    let options = call.options(strict, Reader::Person);
    let request = ScanRequest { counts: call.global.verbosity == Verbosity::Verbose, ..request };
    let report = call.patiently(|| scoring::scan(repo, &request, options))?;
    let is_empty = report.scope.nodes == 0 && report.is_silent();
    let exit = call.emit(Report { score_limit: Some(limit), ..report });
    super::invite(call, repo, is_empty);
    Ok(exit)
}

fn request(args: ScanArgs, here: RepoPath) -> ScanRequest {
    let of = match args.rev {
        Some(rev) => ScoredContent::Rev(rev),
        None if args.staged => ScoredContent::Staged,
        None => ScoredContent::WorkTree,
    };
    let since = match args.base {
        Some(base) => Since::Rev(base),
        None if args.changed => Since::Main,
        None => Since::Ever,
    };
    ScanRequest { of, since, tags: args.tags, nodes: args.nodes, here, ..ScanRequest::default() }
}

/// The report of `scan` on the whole working tree, for `install`. A stranger's repository may hold files that take long to
/// parse, so parsing stops where a hook's does.
pub(super) fn score(call: Call<'_>, repo: &Repo) -> Result<Report> {
    repo.read_units_by(parsing::brief());
    let report = scoring::scan(repo, &ScanRequest::default(), call.options(false, Reader::Person))?;
    Ok(Report { score_limit: Some(SINGLES_LISTED), ..report })
}

/// How many errors of the working tree HEAD does not have; `None` without a commit to compare with.
pub(super) fn uncommitted_errors(call: Call<'_>, repo: &Repo) -> Option<usize> {
    let request = ScanRequest { since: Since::Rev("HEAD".to_owned()), ..ScanRequest::default() };
    let report = scoring::scan(repo, &request, call.options(false, Reader::Person)).ok()?;
    Some(report.summary.errors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{self, Verb};

    fn asked(line: &str) -> ScanRequest {
        let words: Vec<_> = line.split_whitespace().map(Into::into).collect();
        match args::parse(&words).unwrap().verb {
            Verb::Scan(args) => request(args, RepoPath::root()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_content_and_what_it_is_compared_with_are_asked_for_apart() {
        assert_eq!((asked("scan").of, asked("scan").since), (ScoredContent::WorkTree, Since::Ever));
        assert_eq!(asked("scan --changed --base x").since, Since::Rev("x".into()));
        assert_eq!(
            (asked("scan --changed --staged").since, asked("scan --staged").of),
            (Since::Main, ScoredContent::Staged)
        );
        let scan = asked("scan --tag a --tag b board list --rev v1 --strict");
        assert_eq!((scan.tags.len(), scan.nodes.len(), scan.of), (2, 2, ScoredContent::Rev("v1".into())));
    }
}
