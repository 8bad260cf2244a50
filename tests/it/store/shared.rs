//! A repository that several people share: the program's files have the mode that git would give them.

use crate::support::{Scratch, scenarios};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The mode of every file and directory, of git and of the program, after a day of work with this `umask`.
fn modes(shared: &str, mask: &str) -> Vec<(String, u32)> {
    let s = Scratch::new();
    s.git(&["config", "core.sharedRepository", shared]);
    s.write("src/a.rs", "fn a() {}\n");
    s.write(".spec/board/yatsu.md", scenarios(&[("draws", "src/a.rs")]));
    s.commit("begin");
    s.git(&["config", "user.name", "Ann"]);
    s.write("log.txt", "it went well\n");
    let program = crate::support::program();
    let script = format!(
        "umask {mask} && '{0}' claim take board --scenario draws >/dev/null && \
         '{0}' claim release --force board --scenario draws --reason r >/dev/null && \
         '{0}' eval board --pass --result log.txt >/dev/null && '{0}' scan >/dev/null && \
         git update-ref refs/heads/other HEAD",
        program.display()
    );
    let mut shell = crate::support::hermetic("sh", &s.home());
    let done = shell.current_dir(&s.root).args(["-c", &script]).output().expect("sh runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let blob = std::fs::read_dir(s.root.join(".git/spexcode/yatsu-blobs")).expect("evidence").next();
    let blob = blob.expect("one piece").expect("a name").file_name().into_string().expect("a hash");
    let evidence = format!(".git/spexcode/yatsu-blobs/{blob}");
    let mode = |path: &str| {
        let about = std::fs::metadata(s.root.join(Path::new(path))).expect("it is there");
        (path.replace(&blob, "BLOB"), about.permissions().mode() & 0o7777)
    };
    let ours = [
        ".git/yatsu/claims.ndjson",
        ".git/yatsu/ledger.lock",
        ".git/yatsu/gc.lock",
        ".spec/board/yatsu.evals.ndjson",
        ".git/yatsu",
        ".git/spexcode",
        ".git/spexcode/yatsu-blobs",
        &evidence,
        ".git/refs/heads/other",
    ];
    ours.into_iter().map(mode).collect()
}

#[test]
fn what_is_made_in_a_shared_repository_has_the_mode_that_git_gives_to_what_it_makes() {
    for (shared, mask, file, directory, evidence) in [
        ("group", "077", 0o660, 0o2770, 0o440),
        ("group", "022", 0o664, 0o2775, 0o444),
        ("all", "077", 0o664, 0o2775, 0o444),
        ("0640", "022", 0o640, 0o2750, 0o440),
        ("umask", "077", 0o600, 0o700, 0o400),
    ] {
        let told = modes(shared, mask);
        let reference = told.last().expect("git's own").1;
        assert_eq!(reference, file, "git's own file, {shared} {mask}");
        for (path, mode) in told {
            let wanted = match &*path {
                ".git/yatsu" | ".git/spexcode" | ".git/spexcode/yatsu-blobs" => directory,
                ".git/spexcode/yatsu-blobs/BLOB" => evidence,
                _ => file,
            };
            assert_eq!(format!("{mode:o}"), format!("{wanted:o}"), "{path}, {shared} under {mask}");
        }
    }
}
