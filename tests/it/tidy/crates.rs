//! The crates of the program: none can open a connection, except with the feature `cloud`.

use super::root;
use std::collections::BTreeSet;
use std::process::Command;

/// Every crate of the program, from cargo, with these features beside the default ones.
fn crates(features: &str) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["tree", "--locked", "--offline", "-e", "normal", "--prefix", "none", "--format", "{p}"]);
    let out = command.args(["--features", features]).current_dir(root()).output().expect("cargo");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).expect("names");
    text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn no_crate_of_the_program_opens_a_connection() {
    let crates = crates("");
    assert!(crates.contains("git2") && crates.len() > 50, "the tree is not seen: {crates:?}");
    let is_of_the_network = |name: &&String| {
        let words =
            ["tokio", "mio", "socket2", "hyper", "reqwest", "rustls", "openssl", "native-tls", "aws-lc", "ring"];
        let begins = |word: &&str| *name == word || name.starts_with(&format!("{word}-"));
        words.iter().any(begins) || ["object_store", "libssh2-sys", "curl", "ureq", "h2"].contains(&name.as_str())
    };
    let found: Vec<_> = crates.iter().filter(is_of_the_network).collect();
    assert!(found.is_empty(), "{found:?}");
}
