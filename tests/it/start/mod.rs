//! The first hour: from nothing of ours to a guarded first reading, and what to measure next.

mod completion;
mod conflict;
mod empty;
mod explain;
mod forgotten;
mod new;
mod next;

use crate::support::Scratch;

/// Somebody's repository without anything of ours, committed.
fn somebodys() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("src/greet.rs", "pub fn greet() {}\n");
    scratch.write("README.md", "theirs\n");
    scratch.commit("theirs");
    scratch
}

/// What lies in the work tree beside git's own directory, and in the index.
fn everything(scratch: &Scratch) -> String {
    let files = scratch.git(&["ls-files", "--others", "--cached", "--stage"]) + &scratch.git(&["ls-files", "--others"]);
    let dirs = std::process::Command::new("find").arg(&scratch.root).args(["-not", "-path", "*/.git*"]).output();
    files + &String::from_utf8_lossy(&dirs.expect("find").stdout)
}
