//! G10, G13: what a collector keeps and when it refuses, one fixture per kind of root, in real repositories.

use crate::support::{Scratch, hermetic};
use std::path::{Path, PathBuf};
use std::process::Command;
use yatsu_hook::app::clean::references::GitReferences;
use yatsu_hook::app::clean::{Cleaned, Keep, Request, clean, undo};
use yatsu_hook::error::{Error, Result};
use yatsu_hook::model::reading::EvidenceHash;
use yatsu_hook::repo::objects::{Object, ObjectKind, ObjectStore};
use yatsu_hook::repo::oid::Oid;
use yatsu_hook::repo::path::RepoPath;
use yatsu_hook::repo::roots::Layout;
use yatsu_hook::store::Store;
use yatsu_hook::store::evidence::{Cache, Source};
use yatsu_hook::store::kind::Expect;

pub(super) const LEDGER: &str = ".spec/node/yatsu.evals.ndjson";

/// The object database by libgit2, independent of the program's own readers.
struct Objects(git2::Repository);

impl ObjectStore for Objects {
    fn read(&self, id: &Oid) -> Result<Option<Object>> {
        let odb = self.0.odb().expect("an object database");
        let id = git2::Oid::from_bytes(id.as_bytes()).expect("an id");
        let Ok(object) = odb.read(id) else { return Ok(None) };
        let kind = match object.kind() {
            git2::ObjectType::Commit => ObjectKind::Commit,
            git2::ObjectType::Tree => ObjectKind::Tree,
            git2::ObjectType::Tag => ObjectKind::Tag,
            _ => ObjectKind::Blob,
        };
        Ok(Some(Object { kind, data: object.data().to_vec() }))
    }

    fn header(&self, id: &Oid) -> Result<Option<(ObjectKind, u64)>> {
        Ok(self.read(id)?.map(|object| (object.kind, object.data.len() as u64)))
    }
}

fn index_entries(home: &Path, git_dir: &Path, index: &Path) -> Result<Vec<(RepoPath, Oid)>> {
    let mut git = hermetic("git", home);
    let output = git
        .arg("--git-dir")
        .arg(git_dir)
        .args(["ls-files", "-s", "-z"])
        .env("GIT_INDEX_FILE", index)
        .output()
        .expect("git");
    if !output.status.success() {
        return Err(Error::unchecked(format!("{} cannot be read", index.display())));
    }
    let entry = |line: &[u8]| {
        let tab = line.iter().position(|byte| *byte == b'\t').expect("a tab");
        let hex = line[..tab].split(|byte| *byte == b' ').nth(1).expect("an id");
        (RepoPath::from_git(&line[tab + 1..]), Oid::from_hex(hex).expect("an id"))
    };
    Ok(output.stdout.split(|byte| *byte == 0).filter(|line| !line.is_empty()).map(entry).collect())
}

pub(super) struct Fixture {
    pub(super) scratch: Scratch,
    pub(super) git_dir: PathBuf,
    index_file: Option<PathBuf>,
}

/// What a collector needs to know of a fixture; may be used from another thread.
pub(super) struct Reader {
    home: PathBuf,
    root: PathBuf,
    git_dir: PathBuf,
    index_file: Option<PathBuf>,
}

impl Reader {
    pub(super) fn attempt(&self, keep: Keep, grace_days: Option<u32>) -> Result<Cleaned> {
        let objects = Objects(git2::Repository::open(&self.root).expect("a repository"));
        let references = GitReferences {
            layout: Layout {
                git_dir: self.git_dir.clone(),
                common_dir: self.git_dir.clone(),
                work_dir: Some(self.root.clone()),
                bare: false,
                core_worktree: None,
                index_file: self.index_file.clone(),
            },
            objects: &objects,
            read_index: &|index| index_entries(&self.home, &self.git_dir, index),
            partial: false,
        };
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock").as_millis();
        let request = Request {
            keep,
            dry_run: false,
            grace_days: grace_days.unwrap_or(14),
            now_millis: i64::try_from(now).expect("in range"),
        };
        clean(&Store::new(&self.git_dir), &self.git_dir, &references, &[], &request)
    }
}

impl Fixture {
    /// A repository with one committed reading that names evidence of its own.
    pub(super) fn new() -> Self {
        let scratch = Scratch::new();
        let git_dir = scratch.root.join(".git");
        let fixture = Self { scratch, git_dir, index_file: None };
        let hash = fixture.store("committed");
        fixture.file(LEDGER, &hash, 1);
        fixture.scratch.commit("begin");
        fixture
    }

    /// Stores evidence and makes it a year old.
    fn store(&self, content: &str) -> EvidenceHash {
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
    fn file(&self, ledger: &str, hash: &EvidenceHash, second: u32) {
        let before = std::fs::read_to_string(self.scratch.root.join(ledger)).unwrap_or_default();
        self.scratch.write(ledger, before + &reading(hash, second));
    }

    pub(super) fn reader(&self) -> Reader {
        Reader {
            home: self.scratch.home(),
            root: self.scratch.root.clone(),
            git_dir: self.git_dir.clone(),
            index_file: self.index_file.clone(),
        }
    }

    fn attempt(&self, keep: Keep, grace_days: Option<u32>) -> Result<Cleaned> {
        self.reader().attempt(keep, grace_days)
    }

    fn clean(&self, keep: Keep) -> Cleaned {
        self.attempt(keep, None).expect("cleaned")
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

/// Whatever `hold` makes refer to a piece of evidence protects it, and nothing protects another one beside it.
fn protected(hold: impl FnOnce(&mut Fixture, &EvidenceHash)) {
    let mut fixture = Fixture::new();
    let (held, loose) = (fixture.store("held"), fixture.store("loose"));
    hold(&mut fixture, &held);
    let cleaned = fixture.clean(Keep::Named);
    assert!(fixture.has(&held), "the held evidence was collected");
    assert!(!fixture.has(&loose) && cleaned.removed.len() == 1, "what nobody names was not collected");
    assert_eq!(undo(&Store::new(&fixture.git_dir)).expect("undone"), [loose]);
    assert!(fixture.has(&loose));
}

/// A commit beside the branch whose ledger names `hash`; the work tree is back where it was.
fn commit_beside(fixture: &Fixture, hash: &EvidenceHash) -> String {
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

/// The case in which the known implementation deletes another worktree's evidence.
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
    assert_eq!(cleaned.removed.len(), 1);
    assert!(fixture.has(&second) && fixture.has(&third));
    assert_eq!(fixture.clean(Keep::Nothing).removed.len(), 2);
}

/// Nothing goes when something cannot be read, and the message says what.
fn doubtful(spoil: impl FnOnce(&mut Fixture), keep: Keep, word: &str) {
    let mut fixture = Fixture::new();
    let loose = fixture.store("loose");
    spoil(&mut fixture);
    let error = fixture.attempt(keep, Some(0)).expect_err("doubt");
    assert!(error.message.contains(word), "{error}");
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
    assert!(fixture.attempt(Keep::Named, Some(0)).expect_err("doubt").message.contains("no reading"));
    assert!(fixture.has(&loose));
}

/// The figure of the collector: 5,000 ledger commits, 100 branches, 10,000 blobs. Prints what it took.
#[test]
#[ignore = "a measurement"]
fn figure_of_a_big_history() {
    let fixture = Fixture::new();
    let mut stream = String::new();
    let nodes = 50;
    let mut ledgers = vec![String::new(); nodes];
    for commit in 0..5000_u32 {
        let hash = EvidenceHash([(commit % 256) as u8; 32]);
        let node = commit as usize % nodes;
        ledgers[node] += &reading(&hash, commit % 60);
        let text = &ledgers[node];
        let branch = if commit < 4900 { "main".to_owned() } else { format!("b{commit}") };
        let from = if commit == 0 || commit >= 4900 { "from refs/heads/main^0\n" } else { "" };
        stream += &format!(
            "commit refs/heads/{branch}\ncommitter A <a@example.invalid> {commit} +0000\ndata 1\nx{from}M 100644 inline .spec/n{node}/yatsu.evals.ndjson\ndata {}\n{text}\n",
            text.len()
        );
    }
    let mut import = fixture.scratch.git_command(&["fast-import", "--quiet"]);
    let mut child = import.stdin(std::process::Stdio::piped()).spawn().expect("git");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), stream.as_bytes()).expect("written");
    assert!(child.wait().expect("git").success());
    let blobs = fixture.git_dir.join("spexcode/yatsu-blobs");
    for number in 0..10_000_u32 {
        std::fs::write(blobs.join(format!("{number:064x}")), "x").expect("a blob");
    }
    let start = std::time::Instant::now();
    let cleaned = fixture.clean(Keep::Named);
    println!("{:?} for {} young, {} named", start.elapsed(), cleaned.young, cleaned.referenced);
}
