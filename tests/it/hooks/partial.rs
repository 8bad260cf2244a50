//! A sparse partial clone, as `scalar clone` makes it: the files of the nodes are with the remote, and a hook fetches
//! nothing.

use crate::support::{Said, Scratch, hermetic, one_node, program, reading};
use std::fs;
use std::path::PathBuf;

/// A clone in which every commit runs the program.
struct Clone {
    _origin: Scratch,
    here: PathBuf,
    home: PathBuf,
}

impl Clone {
    fn new(filter: &str) -> Self {
        let origin = one_node();
        origin.write("top.txt", "1\n");
        origin.write(".spec/m/yatsu.md", origin.read(".spec/n/yatsu.md").replace("a.rs", "b.rs"));
        origin.commit("a second node");
        reading(&origin, ".spec/n", "works", "pass", 1);
        origin.commit("measured");
        origin.git(&["config", "uploadpack.allowFilter", "true"]);
        origin.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
        let url = format!("file://{}", origin.root.display());
        origin.git(&["clone", "-q", "--sparse", filter, &url, "../clone"]);
        let (here, home) = (origin.base.join("clone"), origin.home());
        let clone = Self { _origin: origin, here, home };
        for hook in ["pre-commit", "pre-push"] {
            let text = format!("#!/bin/sh\nexec '{}' {hook} \"$@\"\n", program().display());
            crate::support::executable(&clone.here.join(".git/hooks").join(hook), &text);
        }
        clone
    }

    fn git(&self, args: &[&str]) -> Said {
        Said::of(hermetic("git", &self.home).current_dir(&self.here).args(args).output().expect("git runs"))
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.here.join(path), text).expect("written");
    }

    /// Commits all edits; the result of the commit with its hook.
    fn commit(&self, message: &str) -> Said {
        self.git(&["add", "--sparse", "-A"]).expect(0);
        self.git(&["commit", "-q", "-m", message])
    }
}

const FILTERS: [&str; 2] = ["--filter=blob:none", "--filter=tree:0"];
const NOT_JUDGED: &str =
    "not judged: 2 nodes (their files are not in this partial clone): git sparse-checkout add .spec\n";

/// Elsewhere a missing object is damage, and nothing passes.
#[test]
fn a_missing_file_of_a_node_in_a_whole_clone_stops_every_commit() {
    let scratch = one_node();
    scratch.hook("pre-commit", "pre-commit");
    let id = scratch.git(&["rev-parse", "HEAD:.spec/n/yatsu.md"]);
    fs::remove_file(scratch.root.join(".git/objects").join(&id[..2]).join(&id[2..])).expect("a loose object");
    scratch.write("top.txt", "1\n");
    scratch.git(&["add", "top.txt"]);
    let said = scratch.try_git(&["commit", "-q", "-m", "x"]).expect(1);
    assert!(said.err.contains("is missing") && !said.err.contains("not judged"), "{}", said.err);
}

mod needs_git_2_38 {
    use super::*;

    #[test]
    #[ignore = "needs git 2.38"]
    fn a_commit_that_leaves_the_nodes_as_they_are_passes_and_says_that_they_were_not_judged() {
        for filter in FILTERS {
            let clone = Clone::new(filter);
            clone.write("top.txt", "2\n");
            let said = clone.commit("an edit").expect(0);
            assert!(said.err.ends_with(NOT_JUDGED) && said.err.lines().count() <= 2, "{filter}: {}", said.err);
            clone.write("new.txt", "1\n");
            assert!(clone.commit("a new file").expect(0).err.ends_with(NOT_JUDGED), "{filter}");
            clone.git(&["sparse-checkout", "set", "src"]).expect(0);
            clone.write("src/a.rs", "fn a() { b() }\n");
            assert!(clone.commit("a governed file").expect(0).err.ends_with(NOT_JUDGED), "{filter}");
        }
    }

    #[test]
    #[ignore = "needs git 2.38"]
    fn a_commit_that_a_node_out_of_sight_may_forbid_is_stopped_and_the_remedy_helps() {
        for filter in FILTERS {
            let clone = Clone::new(filter);
            clone.git(&["sparse-checkout", "set", "src"]).expect(0);
            fs::remove_file(clone.here.join("src/b.rs")).expect("removed");
            let said = clone.commit("a governed file is removed").expect(1);
            assert!(said.err.contains("is missing\n  hint: git sparse-checkout add .spec\n"), "{filter}: {}", said.err);
            clone.git(&["sparse-checkout", "add", ".spec"]).expect(0);
            let said = clone.git(&["commit", "-q", "-m", "again"]).expect(1);
            assert!(said.err.contains("error[yatsu-schema] m"), "{filter}: {}", said.err);
            clone.git(&["reset", "-q", "--hard"]).expect(0);
            clone.write("top.txt", "2\n");
            let said = clone.commit("an edit").expect(0);
            assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""), "{filter}");
        }
    }

    /// What the change itself brings may break a rule that asks all nodes, so such a commit waits for them.
    #[test]
    #[ignore = "needs git 2.38"]
    fn evidence_and_a_new_node_do_not_pass_unread() {
        let clone = Clone::new(FILTERS[0]);
        for (dir, file, text) in [
            ("yatsu-blobs", "yatsu-blobs/seen", "what was seen, in more than thirty-two bytes"),
            (".spec/k", ".spec/k/yatsu.md", crate::support::BAD),
        ] {
            fs::create_dir_all(clone.here.join(dir)).expect("a directory");
            clone.write(file, text);
            let said = clone.commit("not judged").expect(1);
            assert!(said.err.contains("hint: git sparse-checkout add .spec"), "{}", said.err);
            clone.git(&["reset", "-q", "--hard"]).expect(0);
        }
    }
}
