//! G10, G13: what a collector keeps and when it refuses, one fixture per kind of root, in real repositories.

use crate::support::{Said, Scratch, hermetic, program, validate_published};
use std::path::{Path, PathBuf};
use std::process::Command;
use yatsu_hook::model::ledger::EvidenceHash;
use yatsu_hook::store::Store;
use yatsu_hook::store::evidence::{Cache, Source};
use yatsu_hook::store::kind::Expect;

pub(super) const LEDGER: &str = ".spec/node/yatsu.evals.ndjson";

/// The evidence that `clean` should keep.
#[derive(Clone, Copy)]
pub(super) enum Keep {
    Named,
    Latest,
    Nothing,
}

/// The result of `clean`.
#[derive(Debug)]
pub(super) struct Cleaned {
    pub(super) removed: Vec<String>,
    young: u64,
    referenced: u64,
}

pub(super) struct Fixture {
    pub(super) scratch: Scratch,
    pub(super) git_dir: PathBuf,
    index_file: Option<PathBuf>,
}

/// The data of a fixture that a collector needs; may be used from another thread.
pub(super) struct Reader {
    home: PathBuf,
    root: PathBuf,
    index_file: Option<PathBuf>,
}

impl Reader {
    /// Runs the program with these arguments after `clean`.
    fn run(&self, args: &[&str]) -> Said {
        let mut command = hermetic(program(), &self.home);
        command.current_dir(&self.root).args(["--format", "json", "clean"]).args(args);
        command.envs(self.index_file.iter().map(|file| ("GIT_INDEX_FILE", file)));
        Said::of(command.output().expect("the program runs"))
    }

    pub(super) fn attempt(&self, keep: Keep, grace_days: Option<u32>) -> Result<Cleaned, Said> {
        let days = grace_days.unwrap_or(14).to_string();
        let mut args = vec!["--grace", &days];
        args.extend(match keep {
            Keep::Named => None,
            Keep::Latest => Some("--keep-latest"),
            Keep::Nothing => Some("--all"),
        });
        let said = self.run(&args);
        if said.code != 0 {
            return Err(said);
        }
        let json = validate_published(&said.out);
        let hash = |piece: &serde_json::Value| piece["hash"].as_str().expect("a hash").to_owned();
        let removed = json["evidence"].as_array().expect("a list").iter().map(hash).collect();
        let count = |key: &str| json[key].as_u64().expect("a number");
        Ok(Cleaned { removed, young: count("young"), referenced: count("referenced") })
    }
}

impl Fixture {
    /// A repository with one committed reading and its evidence.
    pub(super) fn new() -> Self {
        Self::of(Scratch::new())
    }

    /// The fixture in an empty repository.
    pub(super) fn of(scratch: Scratch) -> Self {
        let git_dir = scratch.root.join(".git");
        let fixture = Self { scratch, git_dir, index_file: None };
        let hash = fixture.store("committed");
        fixture.file(LEDGER, &hash, 1);
        fixture.scratch.commit("begin");
        fixture
    }

    /// Stores evidence and makes it a year old.
    pub(super) fn store(&self, content: &str) -> EvidenceHash {
        let store = Store::new(&self.git_dir);
        let right = store.share_evidence().expect("the lock");
        let source = Source::stream("content", Box::new(std::io::Cursor::new(content.to_owned().into_bytes())));
        let (hash, _) = Cache::new(&self.git_dir).put(&right, source, Expect::Any).expect("stored");
        let path = self.git_dir.join("spexcode/yatsu-blobs").join(hash.to_string());
        let status = Command::new("touch").args(["-d", "365 days ago"]).arg(path).status().expect("touch");
        assert!(status.success());
        hash
    }

    /// Appends a reading that names `hash` to a ledger of the work tree.
    pub(super) fn file(&self, ledger: &str, hash: &EvidenceHash, second: u32) {
        let before = std::fs::read_to_string(self.scratch.root.join(ledger)).unwrap_or_default();
        self.scratch.write(ledger, before + &reading(hash, second));
    }

    pub(super) fn reader(&self) -> Reader {
        Reader { home: self.scratch.home(), root: self.scratch.root.clone(), index_file: self.index_file.clone() }
    }

    pub(super) fn attempt(&self, keep: Keep, grace_days: Option<u32>) -> Result<Cleaned, Said> {
        self.reader().attempt(keep, grace_days)
    }

    pub(super) fn clean(&self, keep: Keep) -> Cleaned {
        self.attempt(keep, None).unwrap_or_else(|said| panic!("{}", said.err))
    }

    pub(super) fn has(&self, hash: &EvidenceHash) -> bool {
        Cache::new(&self.git_dir).has(hash).expect("a cache")
    }
}

pub(super) fn reading(hash: &EvidenceHash, second: u32) -> String {
    let sha = "a".repeat(40);
    format!(
        "{{\"scenario\":\"s\",\"codeSha\":\"{sha}\",\"blob\":\"{hash}\",\"evaluator\":\"manual@1\",\"verdict\":{{\"status\":\"pass\"}},\"ts\":\"2026-01-01T00:00:{second:02}.000Z\"}}\n"
    )
}

/// Asserts that a piece is protected by the reference that `hold` makes, and that another piece without one is not.
pub(super) fn protected(hold: impl FnOnce(&mut Fixture, &EvidenceHash)) {
    protected_in(Fixture::new(), hold);
}

/// The same assertion in this repository.
pub(super) fn protected_in(mut fixture: Fixture, hold: impl FnOnce(&mut Fixture, &EvidenceHash)) {
    let (held, loose) = (fixture.store("held"), fixture.store("loose"));
    hold(&mut fixture, &held);
    let cleaned = fixture.clean(Keep::Named);
    assert!(fixture.has(&held), "the held evidence was collected");
    assert!(!fixture.has(&loose) && cleaned.removed.len() == 1, "what nobody names was not collected");
    let back = validate_published(&fixture.reader().run(&["--undo"]).expect(0).out);
    assert_eq!(back["evidence"][0]["hash"], loose.to_string());
    assert!(fixture.has(&loose));
}

/// A commit beside the branch with a ledger that names `hash`; the work tree is restored.
pub(super) fn commit_beside(fixture: &Fixture, hash: &EvidenceHash) -> String {
    let git = |args: &[&str]| fixture.scratch.git(args);
    git(&["checkout", "-q", "--detach"]);
    fixture.file(LEDGER, hash, 9);
    let id = fixture.scratch.commit("beside");
    git(&["checkout", "-q", "main"]);
    git(&["reflog", "expire", "--expire=now", "--all"]);
    id
}

#[test]
fn g10_branch() {
    protected(|fixture, hash| {
        let id = commit_beside(fixture, hash);
        fixture.scratch.git(&["branch", "other", &id]);
    });
}

#[test]
fn g10_packed_branch() {
    protected(|fixture, hash| {
        let id = commit_beside(fixture, hash);
        fixture.scratch.git(&["branch", "other", &id]);
        fixture.scratch.git(&["pack-refs", "--all"]);
    });
}

#[test]
fn g10_annotated_tag() {
    protected(|fixture, hash| {
        let id = commit_beside(fixture, hash);
        fixture.scratch.git(&["tag", "-a", "-m", "t", "v1", &id]);
    });
}

#[test]
fn g10_remote_branch() {
    protected(|fixture, hash| {
        let id = commit_beside(fixture, hash);
        fixture.scratch.git(&["update-ref", "refs/remotes/origin/x", &id]);
    });
}

#[test]
fn g10_notes() {
    protected(|fixture, hash| {
        let id = commit_beside(fixture, hash);
        fixture.scratch.git(&["update-ref", "refs/notes/x", &id]);
    });
}

#[test]
fn g10_stash() {
    protected(|fixture, hash| {
        fixture.file(LEDGER, hash, 2);
        fixture.scratch.git(&["stash", "-q"]);
    });
}

#[test]
fn g10_reflog() {
    protected(|fixture, hash| {
        fixture.file(LEDGER, hash, 2);
        fixture.scratch.commit("soon gone");
        fixture.scratch.git(&["reset", "-q", "--hard", "HEAD~"]);
        std::fs::remove_file(fixture.git_dir.join("ORIG_HEAD")).expect("removed");
    });
}

#[test]
fn g10_detached_head() {
    protected(|fixture, hash| {
        let id = commit_beside(fixture, hash);
        fixture.scratch.git(&["checkout", "-q", &id]);
        fixture.scratch.git(&["reflog", "expire", "--expire=now", "--all"]);
    });
}

#[test]
fn g10_pseudo_refs() {
    for name in ["ORIG_HEAD", "MERGE_HEAD", "REBASE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"] {
        protected(|fixture, hash| {
            let id = commit_beside(fixture, hash);
            std::fs::write(fixture.git_dir.join(name), format!("{id}\n")).expect("written");
        });
    }
}

#[test]
fn g10_index() {
    protected(|fixture, hash| {
        let before = fixture.scratch.read(LEDGER);
        fixture.file(LEDGER, hash, 2);
        fixture.scratch.git(&["add", LEDGER]);
        fixture.scratch.write(LEDGER, before);
    });
}

#[test]
fn g10_git_index_file() {
    protected(|fixture, hash| {
        let before = fixture.scratch.read(LEDGER);
        fixture.file(LEDGER, hash, 2);
        let index = fixture.scratch.base.join("other-index");
        let done = fixture.scratch.git_command(&["add", LEDGER]).env("GIT_INDEX_FILE", &index).status();
        assert!(done.expect("git").success());
        fixture.scratch.write(LEDGER, before);
        fixture.index_file = Some(index);
    });
}

#[test]
fn g10_modified_ledger() {
    protected(|fixture, hash| fixture.file(LEDGER, hash, 2));
}

#[test]
fn g10_untracked_and_ignored_ledgers() {
    protected(|fixture, hash| fixture.file(".spec/new/evals.ndjson", hash, 2));
    protected(|fixture, hash| {
        fixture.scratch.write(".gitignore", "ignored/\n");
        fixture.file("ignored/node/yatsu.evals.ndjson", hash, 2);
    });
}

#[test]
fn g10_removed_node() {
    protected(|fixture, hash| {
        fixture.file(".spec/old/yatsu.evals.ndjson", hash, 2);
        fixture.scratch.commit("a node");
        fixture.scratch.git(&["rm", "-rq", ".spec/old"]);
        fixture.scratch.commit("without it");
        fixture.scratch.git(&["reflog", "expire", "--expire=now", "--all"]);
    });
}

/// In this case the known implementation deletes another worktree's evidence.
#[test]
fn g10_another_worktree() {
    let add = |fixture: &Fixture| {
        let other = fixture.scratch.base.join("other");
        fixture.scratch.git(&["worktree", "add", "-q", "--detach", &other.to_string_lossy()]);
        other
    };
    let append = |other: &Path, hash: &EvidenceHash| {
        let path = other.join(LEDGER);
        let before = std::fs::read_to_string(&path).expect("a ledger");
        std::fs::write(&path, before + &reading(hash, 3)).expect("written");
    };
    // its working file
    protected(|fixture, hash| append(&add(fixture), hash));
    // its index
    protected(|fixture, hash| {
        let other = add(fixture);
        let before = std::fs::read_to_string(other.join(LEDGER)).expect("a ledger");
        append(&other, hash);
        fixture.scratch.git(&["-C", &other.to_string_lossy(), "add", LEDGER]);
        std::fs::write(other.join(LEDGER), before).expect("written");
    });
    // its HEAD
    protected(|fixture, hash| {
        let other = add(fixture);
        append(&other, hash);
        let at = other.to_string_lossy().into_owned();
        fixture.scratch.git(&["-C", &at, "commit", "-qam", "there"]);
        fixture.scratch.git(&["reflog", "expire", "--expire=now", "--all"]);
    });
}

/// Every work tree of a repository collects alike, whichever is the current one.
#[test]
fn g10_from_a_linked_work_tree() {
    let fixture = Fixture::new();
    let (held, loose) = (fixture.store("held"), fixture.store("loose"));
    fixture.file(LEDGER, &held, 2);
    let other = fixture.scratch.base.join("other");
    fixture.scratch.git(&["worktree", "add", "-q", "--detach", &other.to_string_lossy()]);
    let there = Reader { root: other, ..fixture.reader() };
    assert_eq!(there.attempt(Keep::Named, None).expect("cleaned").removed, [loose.to_string()]);
    assert!(fixture.has(&held), "the main work tree's uncommitted ledger names it");
    let back = validate_published(&there.run(&["--undo"]).expect(0).out);
    assert_eq!(back["evidence"][0]["hash"], loose.to_string());
}

#[test]
fn young_evidence_stays_whoever_names_it() {
    let fixture = Fixture::new();
    let right = Store::new(&fixture.git_dir);
    let right = right.share_evidence().expect("the lock");
    let source = Source::stream("content", Box::new(std::io::Cursor::new(b"young".to_vec())));
    let (young, _) = Cache::new(&fixture.git_dir).put(&right, source, Expect::Any).expect("stored");
    drop(right);
    let cleaned = fixture.clean(Keep::Named);
    assert!(fixture.has(&young) && cleaned.young == 1);
    assert_eq!(fixture.clean(Keep::Nothing).young, 1);
}

#[test]
fn keep_latest_keeps_what_counts_at_each_tip() {
    let fixture = Fixture::new();
    let (second, third) = (fixture.store("second"), fixture.store("third"));
    fixture.file(LEDGER, &second, 2);
    fixture.scratch.commit("second");
    fixture.scratch.git(&["branch", "other"]);
    fixture.file(LEDGER, &third, 3);
    fixture.scratch.commit("third");
    let cleaned = fixture.clean(Keep::Latest);
    assert_eq!((cleaned.removed.len(), cleaned.referenced), (1, 2));
    assert!(fixture.has(&second) && fixture.has(&third));
    assert_eq!(fixture.clean(Keep::Nothing).removed.len(), 2);
}

/// Asserts that nothing is deleted if something cannot be read, and that the message names it.
pub(super) fn doubtful(spoil: impl FnOnce(&mut Fixture), keep: Keep, word: &str) {
    let mut fixture = Fixture::new();
    let loose = fixture.store("loose");
    spoil(&mut fixture);
    let said = fixture.attempt(keep, Some(0)).expect_err("doubt").expect(3);
    assert!(said.err.contains(word), "{word}: {}", said.err);
    assert!(fixture.has(&loose));
}

#[test]
fn g13_doubt_deletes_nothing() {
    let write = |fixture: &Fixture, name: &str, text: &str| {
        let path = fixture.git_dir.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        std::fs::write(path, text).expect("written");
    };
    let missing = "1".repeat(40);
    doubtful(|f| write(f, "refs/heads/bad", "no id\n"), Keep::Named, "refs/heads/bad");
    doubtful(|f| write(f, "refs/heads/gone", &format!("{missing}\n")), Keep::Named, "refs/heads/gone");
    doubtful(|f| write(f, "packed-refs", "what is this\n"), Keep::Named, "packed-refs");
    doubtful(|f| write(f, "logs/refs/heads/bad", "no entry\n"), Keep::Named, "logs/refs/heads/bad");
    doubtful(|f| write(f, "index", "no index"), Keep::Named, "index");
    doubtful(|f| write(f, "worktrees/w/gitdir", "/nowhere/.git\n"), Keep::Named, "linked work tree");
    doubtful(|f| write(f, "worktrees/w/HEAD", "ref: refs/heads/main\n"), Keep::Named, "gitdir");
    doubtful(|f| write(f, "reftable/tables.list", ""), Keep::Named, "reftable");
    doubtful(|f| f.scratch.write(LEDGER, "{\"scenario\":\"s\",\"blob\":\"12"), Keep::Named, LEDGER);
    doubtful(|f| f.scratch.write(LEDGER, "{\"scenario\":\"s\",\"blob\":\"12"), Keep::Latest, LEDGER);
    let head = |f: &Fixture| f.scratch.git(&["rev-parse", "HEAD"]);
    doubtful(|f| write(f, "shallow", &format!("{}\n", head(f))), Keep::Nothing, "shallow");
    doubtful(
        |f| {
            let id = f.scratch.git(&["rev-parse", "HEAD:.spec"]);
            std::fs::remove_file(f.git_dir.join("objects").join(&id[..2]).join(&id[2..])).expect("removed");
        },
        Keep::Named,
        "missing",
    );
}

#[test]
fn g13_no_reference_at_all_is_doubt() {
    let scratch = Scratch::new();
    let git_dir = scratch.root.join(".git");
    let fixture = Fixture { scratch, git_dir, index_file: None };
    let loose = fixture.store("loose");
    assert!(fixture.attempt(Keep::Named, Some(0)).expect_err("doubt").expect(3).err.contains("no reading"));
    assert!(fixture.has(&loose));
}

#[test]
fn a_dry_run_lists_with_sizes_and_readings_and_moves_nothing() {
    let fixture = Fixture::new();
    let loose = fixture.store("loose");
    let run = |args: &[&str]| fixture.scratch.yatsu(args).expect(0).out;
    let said = run(&["clean", "--dry-run"]);
    assert!(said.starts_with(&format!("{loose} 5 B\n")), "{said}");
    assert!(
        said.ends_with("\nwould collect 1 piece of evidence (5 B); 1 named, 0 young; nothing was moved\n"),
        "{said}"
    );
    let all = run(&["clean", "--all", "--dry-run"]);
    assert!(all.contains("  named by node/s 2026-01-01T00:00:01.000Z\n"), "{all}");
    assert!(fixture.has(&loose));
    assert_eq!(run(&["clean"]), "collected 1 piece of evidence (5 B); 1 named, 0 young; 0 deleted for good\n");
    assert!(!fixture.has(&loose));
    assert!(run(&["clean", "--undo"]).ends_with("restored 1 piece of evidence\n"));
    assert!(fixture.has(&loose));
    let again = fixture.scratch.yatsu(&["clean", "--undo"]).expect(1);
    assert!(again.err.contains("the trash is empty"), "{}", again.err);
}

#[test]
fn the_second_phase_deletes_for_good_after_a_week() {
    let fixture = Fixture::new();
    fixture.store("loose");
    fixture.clean(Keep::Named);
    let trash = fixture.git_dir.join("yatsu/trash");
    let run = std::fs::read_dir(&trash).expect("a trash").next().expect("a run").expect("an entry").path();
    // A run's name begins with its time in milliseconds.
    std::fs::rename(&run, trash.join("000001700000000-1")).expect("renamed");
    let said = fixture.scratch.yatsu(&["clean"]).expect(0).out;
    assert!(said.ends_with("1 deleted for good\n"), "{said}");
    assert_eq!(std::fs::read_dir(&trash).expect("a trash").count(), 0);
}

/// The clock cannot be set here; a repository with its last activity ten years ago looks the same.
#[test]
fn a_clock_ten_years_ahead_collects_nothing_young() {
    let fixture = Fixture::new();
    let loose = fixture.store("loose");
    let touch = |date: &str, what: &str| {
        let script = format!("find '{}' {what} -exec touch -h -d '{date}' {{}} +", fixture.git_dir.display());
        assert!(Command::new("sh").args(["-c", &script]).status().expect("sh").success());
    };
    touch("3650 days ago", "-mindepth 1");
    let cleaned = fixture.clean(Keep::Named);
    assert!(fixture.has(&loose) && cleaned.young == 1, "{cleaned:?}");
    assert_eq!(fixture.attempt(Keep::Named, Some(0)).expect("cleaned").young, 1);
}

#[test]
fn every_old_version_counts_in_whichever_pack_it_lies_or_in_none() {
    let fixture = Fixture::new();
    let git = |args: &[&str]| fixture.scratch.git(args);
    let lie: [&[&str]; 5] = [&[], &["repack", "-qad"], &["repack", "-qd"], &["repack", "-qa"], &[]];
    let mut held = Vec::new();
    for (number, pack) in lie.iter().enumerate() {
        for version in 0..3 {
            let hash = fixture.store(&format!("{number} {version}"));
            // Only this version names it.
            fixture.scratch.write(LEDGER, reading(&hash, 1));
            fixture.scratch.commit("again");
            held.push(hash);
        }
        if !pack.is_empty() {
            git(pack);
        }
    }
    let nobodys = fixture.store("nobody's");
    let cleaned = fixture.clean(Keep::Named);
    assert_eq!(cleaned.removed, [nobodys.to_string()]);
    assert!(held.iter().all(|hash| fixture.has(hash)));
}
