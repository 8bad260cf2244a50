//! The kinds of repository, each with all questions.

use super::{Place, answers, backend, git_path, story, summary};
use crate::support::{Said, Scratch, hermetic, program};

fn configured(settings: &[(&str, &str)]) -> Place {
    let scratch = story(&[]);
    for (key, value) in settings {
        scratch.git(&["config", key, value]);
    }
    scratch.git(&["update-index", "--force-write-index"]);
    Place::main(scratch)
}

fn with(commands: &[&[&str]]) -> Place {
    let scratch = story(&[]);
    for args in commands {
        scratch.git(args);
    }
    Place::main(scratch)
}

fn linked() -> Place {
    let scratch = story(&[]);
    scratch.git(&["worktree", "add", "-q", "../linked", "-b", "other"]);
    Place::beside(scratch, "linked")
}

fn submodule() -> Place {
    let scratch = story(&[]);
    scratch.git(&["init", "-q", "../super"]);
    scratch.git(&["-C", "../super", "-c", "protocol.file.allow=always", "submodule", "add", "-q", "../repo", "sub"]);
    Place::beside(scratch, "super/sub")
}

fn clone(args: &[&str]) -> Place {
    let scratch = story(&[]);
    scratch.git(&["config", "uploadpack.allowFilter", "true"]);
    let from = format!("file://{}", scratch.root.display());
    scratch.git(&[&["clone", "-q"], args, &[&from, "../clone"]].concat());
    Place::beside(scratch, "clone")
}

fn alternates() -> Place {
    let scratch = story(&[]);
    scratch.git(&["clone", "-q", "--shared", ".", "../clone"]);
    Place::beside(scratch, "clone")
}

fn packed() -> Place {
    let place = with(&[&["gc", "-q", "--aggressive"], &["pack-refs", "--all"]]);
    place.git(&["multi-pack-index", "write"]);
    place.git(&["commit-graph", "write", "--reachable"]);
    place
}

/// Replaces an object that is not part of our files.
fn replaced() -> Place {
    with(&[&["replace", "HEAD:docs/deep/er/readme", "HEAD:src/a.rs"]])
}

fn grafted() -> Place {
    let place = with(&[]);
    let line = format!("{} {}\n", place.git(&["rev-parse", "HEAD"]), place.git(&["rev-parse", "HEAD~1"]));
    let grafts = git_path(&place, "info/grafts");
    std::fs::create_dir_all(grafts.parent().unwrap()).unwrap();
    std::fs::write(grafts, line).unwrap();
    place
}

fn intent_to_add() -> Place {
    let scratch = story(&[]);
    scratch.write(".gitignore", "note\n");
    scratch.commit("ignored");
    scratch.write("note", "later");
    scratch.git(&["add", "-f", "-N", "note"]);
    Place::main(scratch)
}

/// A kind, its constructor, and the expected backend for staged questions.
type Kind = (&'static str, fn() -> Place, &'static str);

const KINDS: &[Kind] = &[
    ("linked worktree", linked, "native"),
    ("submodule", submodule, "native"),
    ("separate git dir", || Place::main(story(&["--separate-git-dir", "elsewhere.git"])), "native"),
    ("split index", || with(&[&["update-index", "--split-index"]]), "git"),
    ("SHA-256", || Place::main(story(&["--object-format=sha256"])), "git"),
    ("shallow clone", || clone(&["--depth", "3"]), "native"),
    ("partial clone", || clone(&["--filter=blob:none"]), "native"),
    ("alternates", alternates, "native"),
    ("packed", packed, "native"),
    ("replace refs", replaced, "native"),
    ("grafts", grafted, "native"),
    ("intent to add", intent_to_add, "native"),
    ("index version 4", || configured(&[("index.version", "4")]), "native"),
    ("index without checksum", || configured(&[("index.skipHash", "true")]), "native"),
    (
        "index by threads",
        || configured(&[("index.recordEndOfIndexEntries", "true"), ("index.recordOffsetTable", "true")]),
        "native",
    ),
    ("untracked cache", || with(&[&["update-index", "--force-untracked-cache"]]), "native"),
    ("fsmonitor", || configured(&[("core.fsmonitor", "true")]), "native"),
    ("worktree configuration", || configured(&[("extensions.worktreeConfig", "true")]), "native"),
    ("precious objects", || configured(&[("extensions.preciousObjects", "true")]), "native"),
];

/// The differences of the answers from those in an ordinary repository.
fn compared((name, make, _): &Kind, ordinary: &[(String, String)]) -> Vec<String> {
    let differs = |((question, said), (_, wanted)): (&(String, String), &(String, String))| {
        (said != wanted).then(|| format!("{name}: {question}\n  said   {said}\n  wanted {wanted}"))
    };
    answers(&make()).iter().zip(ordinary).filter_map(differs).collect()
}

#[test]
fn every_kind_gives_the_answers_of_an_ordinary_repository() {
    let ordinary = answers(&Place::main(story(&[])));
    let mut wrong = Vec::new();
    let compare = |kind: &Kind| compared(kind, &ordinary);
    let (left, right) = KINDS.split_at(KINDS.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| right.iter().flat_map(compare).collect::<Vec<_>>());
        wrong.extend(left.iter().flat_map(compare));
        wrong.extend(other.join().expect("every kind was asked"));
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_ordinary_repository_gives_these_answers() {
    let said: Vec<String> = answers(&Place::main(story(&[])))
        .iter()
        .map(|(question, answer)| format!("{question}\n    {answer}"))
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn the_report_says_who_answered() {
    let expected: Vec<String> = KINDS.iter().map(|(name, _, who)| format!("{name}: {who}")).collect();
    let said: Vec<String> = KINDS.iter().map(|(name, make, _)| format!("{name}: {}", answering(*make))).collect();
    assert_eq!(said, expected);
}

/// Which backend answers there.
fn answering(make: fn() -> Place) -> String {
    backend(&make().yatsu(&["check", "--staged", "--format", "json"]))
}

/// A kind that not every git can make.
#[track_caller]
fn is_like_an_ordinary_one(kind: &Kind) {
    assert_eq!(compared(kind, &answers(&Place::main(story(&[])))), [""; 0]);
    assert_eq!(answering(kind.1), kind.2);
}

mod needs_reftable {
    use super::*;

    #[test]
    #[ignore = "needs a git with reftable"]
    fn a_table_of_refs_gives_the_answers_of_an_ordinary_repository_by_git() {
        is_like_an_ordinary_one(&("reftable", || Place::main(story(&["--ref-format=reftable"])), "git"));
    }
}

mod needs_git_2_38 {
    use super::*;

    #[test]
    #[ignore = "needs git 2.38"]
    fn a_sparse_checkout_gives_the_answers_of_an_ordinary_repository() {
        let cone = || with(&[&["sparse-checkout", "set", "--cone", ".spec"]]);
        let patterns = || with(&[&["sparse-checkout", "set", "--no-cone", "/.spec/", "/docs/"]]);
        is_like_an_ordinary_one(&("sparse checkout, cone", cone, "native"));
        is_like_an_ordinary_one(&("sparse checkout, patterns", patterns, "native"));
    }

    #[test]
    #[ignore = "needs git 2.38"]
    fn a_sparse_index_gives_the_answers_of_an_ordinary_repository_by_git() {
        let make = || with(&[&["sparse-checkout", "set", "--cone", "--sparse-index", ".spec"]]);
        is_like_an_ordinary_one(&("sparse index", make, "git"));
    }
}

#[test]
fn a_bare_repository_is_judged_by_its_head() {
    let scratch = story(&[]);
    scratch.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = Place::beside(scratch, "bare.git");
    let ordinary = Place::main(story(&[]));
    let json = |place: &Place, args: &[&str]| summary(&place.yatsu(&[args, &["--format", "json"]].concat()));
    for args in
        [&["check"][..], &["check", "--all"], &["check", "--rev", "HEAD"], &["scan"], &["scan", "--rev", "main"]]
    {
        assert_eq!(json(&bare, args), json(&ordinary, args), "{args:?}");
    }
    for args in [&["pre-commit"][..], &["check", "--staged"], &["run"], &["scan", "--staged"]] {
        let said = bare.yatsu(args);
        assert_eq!(said.code, 3, "{args:?}: {}{}", said.out, said.err);
        assert!(said.err.contains("bare"), "{args:?}: {}", said.err);
    }
}

#[test]
fn blobs_that_a_partial_clone_lacks_are_never_a_pass() {
    let place = clone(&["--filter=blob:none", "--no-checkout"]);
    // nothing more can be fetched
    std::fs::remove_dir_all(&place.scratch.root).unwrap();
    place.git(&["read-tree", "HEAD"]);
    let said = place.yatsu(&["check", "--rev", "HEAD"]).expect(3);
    assert!(said.err.contains("missing") && said.err.contains("fetch"), "{}", said.err);
    let said = place.yatsu(&["scan", "--staged"]).expect(3);
    assert!(said.err.contains("missing") && said.err.contains("fetch"), "{}", said.err);
}

#[test]
fn advice_that_old_trees_would_give_is_said_to_be_missing_and_errors_still_block() {
    let place = clone(&["--filter=tree:0"]);
    std::fs::remove_dir_all(&place.scratch.root).unwrap();
    let said = place.yatsu(&["scan"]).expect(0);
    assert!((said.out + &said.err).contains("not judged: 2 (tree "));
    place.stage(".spec/n/yatsu.evals.ndjson", "");
    let said = place.yatsu(&["pre-commit"]).expect(1);
    assert!(said.err.contains("error[ledger-history]"), "{}", said.err);
}

#[test]
fn a_reading_behind_the_edge_of_a_shallow_clone_is_no_pass_of_its_own() {
    let place = clone(&["--depth", "1"]);
    let said = place.yatsu(&["scan", "--format", "json"]);
    let report = crate::support::validate_published(&said.out);
    let drift =
        report["findings"].as_array().unwrap().iter().filter(|finding| finding["rule"] == "yatsu-drift").count();
    let not_judged = said.out.contains("not judged") || said.err.contains("not judged");
    assert!(drift == 2 || not_judged, "{}{}", said.out, said.err);
    place.stage(".spec/n/yatsu.md", "broken");
    place.yatsu(&["pre-commit"]).expect(1);
}

#[test]
fn an_extension_that_nobody_knows_is_refused() {
    let scratch = story(&[]);
    scratch.git(&["config", "core.repositoryFormatVersion", "1"]);
    scratch.git(&["config", "extensions.fromTheFuture", "true"]);
    for args in [&["pre-commit"][..], &["check"], &["scan"]] {
        let said = scratch.yatsu(args).expect(3);
        assert!(said.err.to_lowercase().contains("fromthefuture"), "{}", said.err);
    }
}

#[test]
fn outside_a_repository_nothing_passes() {
    let scratch = Scratch::new();
    for args in [&["pre-commit"][..], &["check"], &["scan"], &["run"], &["validate", "--", "x"]] {
        let mut command = hermetic(program(), &scratch.home());
        let said = Said::of(command.current_dir(&scratch.base).args(args).output().unwrap()).expect(3);
        assert!(said.err.contains("not inside a git repository"), "{}", said.err);
    }
}
