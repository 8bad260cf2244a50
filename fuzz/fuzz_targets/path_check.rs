//! A path of any bytes: what is accepted stays inside the repository and means the same when read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::tree::path::{MAX_PATH, PathProblem, RepoPath, names_git_dir};

fuzz_target!(|bytes: &[u8]| {
    let base = RepoPath::from_git("a/b");
    for path in [RepoPath::parse(bytes), base.join(bytes)].into_iter().flatten() {
        assert!(path.as_bstr().len() <= MAX_PATH);
        for part in path.components() {
            assert!(part != "." && part != ".." && !part.contains(&0) && !names_git_dir(part));
        }
        // `./C:/x` is a file that can be tracked; its normal form would not be accepted from a person.
        let again = RepoPath::parse(path.as_bstr());
        assert!(path.is_root() || again == Err(PathProblem::Absolute) || again.as_ref() == Ok(&path));
    }
});
