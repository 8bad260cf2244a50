//! Every scenario file, `spec.md` and ledger in the whole history of the corpus: nothing panics, and nothing that the
//! recorded implementation read is refused for its syntax. Says so when the corpus is not here.

use crate::support::{Scratch, hermetic};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use yatsu_hook::model::{reading, scenario, spec};
use yatsu_hook::repo::path::RepoPath;

fn bundle() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/corpus-a.bundle");
    path.canonicalize().ok()
}

/// The distinct blobs below these names in all commits: id to one of its paths.
fn blobs(scratch: &Scratch, bundle: &Path) -> BTreeMap<String, String> {
    let url = bundle.to_string_lossy().into_owned();
    scratch.git(&["fetch", "-q", &url, "+refs/*:refs/corpus/*"]);
    let listed = scratch.git(&["rev-list", "--objects", "--glob=refs/corpus"]);
    let ours = ["yatsu.md", "eval.md", "spec.md", "yatsu.evals.ndjson", "evals.ndjson"];
    let named = listed.lines().filter_map(|line| line.split_once(' '));
    let wanted = named.filter(|(_, path)| ours.contains(&path.rsplit('/').next().unwrap_or_default()));
    wanted.map(|(id, path)| (id.to_owned(), path.to_owned())).collect()
}

fn contents(scratch: &Scratch, ids: &[&String]) -> Vec<Vec<u8>> {
    let mut command = hermetic("git", &scratch.home());
    command.current_dir(&scratch.root).args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("git");
    let asked = ids.iter().map(|id| format!("{id}\n")).collect::<String>();
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, asked.as_bytes()));
    let out = child.wait_with_output().expect("git ends").stdout;
    writer.join().expect("a thread").expect("written");
    let mut rest = &out[..];
    let mut read = Vec::new();
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        let size: usize = head.rsplit(' ').next().and_then(|size| size.parse().ok()).expect("a size");
        read.push(rest[end + 1..end + 1 + size].to_vec());
        rest = &rest[end + size + 2..];
    }
    read
}

#[test]
fn all_of_history_is_read() {
    let Some(bundle) = bundle() else {
        eprintln!("not made: the corpus is not here");
        return;
    };
    let scratch = Scratch::new();
    let blobs = blobs(&scratch, &bundle);
    let ids: Vec<&String> = blobs.keys().collect();
    let mut counts = BTreeMap::new();
    for (id, bytes) in ids.iter().zip(contents(&scratch, &ids)) {
        let path = RepoPath::from_git(blobs[*id].as_bytes());
        let name = path.name().to_string();
        *counts.entry(name.clone()).or_insert(0) += 1;
        match name.as_str() {
            "spec.md" => drop(spec::parse(&path, &bytes)),
            "yatsu.md" | "eval.md" => {
                let file = scenario::parse(&path, &bytes, &[]);
                let syntax: Vec<_> = file.problems.iter().filter(|p| p.key.starts_with("syntax")).collect();
                assert!(syntax.is_empty() && !file.cut_short, "{path} {id}: {syntax:#?}");
            }
            _ => {
                let ledger = reading::parse(&path, &bytes);
                assert!(ledger.problems.is_empty(), "{path} {id}: {:#?}", ledger.problems);
            }
        }
    }
    let seen: Vec<_> = counts.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(seen, [("spec.md", 869), ("yatsu.evals.ndjson", 271), ("yatsu.md", 154)]);
}
