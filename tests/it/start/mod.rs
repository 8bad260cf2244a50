//! The first hour: from an empty start to a guarded first reading, and the next scenario to measure.

mod completion;
mod conflict;
mod empty;
mod explain;
mod forgotten;
mod new;
mod next;

use crate::support::Scratch;

/// A committed repository without any of our files.
fn somebodys() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("src/greet.rs", "pub fn greet() {}\n");
    scratch.write("README.md", "theirs\n");
    scratch.commit("theirs");
    scratch
}

/// The files in the work tree beside git's own directory, and in the index.
pub fn everything(scratch: &Scratch) -> String {
    let files = scratch.git(&["ls-files", "--others", "--cached", "--stage"]) + &scratch.git(&["ls-files", "--others"]);
    let dirs = std::process::Command::new("find").arg(&scratch.root).args(["-not", "-path", "*/.git*"]).output();
    files + &String::from_utf8_lossy(&dirs.expect("find").stdout)
}
