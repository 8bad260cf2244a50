//! The person who claims, decides or redacts, if no flag names one: git's author.

use crate::support::{Said, executable, hermetic, one_node, program};
use std::path::Path;
use std::process::Command;

/// Variables and settings of one row, each `NAME=VALUE`.
type Row = (&'static [&'static str], &'static [&'static str]);

/// Every way to give git a name, or none.
const ROWS: [Row; 22] = [
    (&["GIT_AUTHOR_NAME=Env"], &["user.name=Ann"]),
    (&["GIT_AUTHOR_NAME=Env"], &["author.name=Author", "user.name=Ann"]),
    (&["GIT_AUTHOR_NAME=Env", "GIT_AUTHOR_EMAIL=env@x"], &[]),
    (&["GIT_AUTHOR_NAME="], &["user.name=Ann"]),
    (&["GIT_AUTHOR_NAME=<>"], &["user.name=Ann"]),
    (&["GIT_AUTHOR_NAME= 'A. <B>', "], &[]),
    (&["GIT_AUTHOR_NAME=Ann\nBob"], &[]),
    (&["GIT_AUTHOR_NAME=\u{e9}t\u{e9}"], &[]),
    (&["GIT_AUTHOR_NAME=a\\b\\"], &[]),
    (&["GIT_COMMITTER_NAME=Committer", "GIT_COMMITTER_EMAIL=c@x"], &["user.name=Ann"]),
    (&["GIT_COMMITTER_NAME=Committer"], &["user.name=Ann", "committer.name=Other"]),
    (&[], &["user.name=Ann"]),
    (&[], &["user.name=First", "user.name=Last"]),
    (&[], &["author.name=Author"]),
    (&[], &["author.name=Author", "user.name=Ann"]),
    (&[], &["author.name=", "user.name=Ann"]),
    (&[], &["author.name=Author", "user.name="]),
    (&[], &["user.name="]),
    (&[], &["user.useConfigOnly=true", "user.email=e@x"]),
    (&[], &["user.useConfigOnly=true", "user.email=e@x", "user.name=Ann"]),
    (&["GIT_AUTHOR_NAME=Env"], &["user.useConfigOnly=true", "user.email=e@x"]),
    (&[], &[]),
];

/// `command` as a user of this row runs it.
fn of_row(mut command: Command, dir: &Path, (vars, settings): Row) -> Said {
    for name in ["NAME", "EMAIL"] {
        command.env_remove(format!("GIT_AUTHOR_{name}")).env_remove(format!("GIT_COMMITTER_{name}"));
    }
    command.current_dir(dir).env("EMAIL", "account@example.invalid");
    command.env("GIT_CONFIG_COUNT", settings.len().to_string());
    for (at, setting) in settings.iter().enumerate() {
        let (key, value) = setting.split_once('=').expect("a setting");
        command.env(format!("GIT_CONFIG_KEY_{at}"), key).env(format!("GIT_CONFIG_VALUE_{at}"), value);
    }
    command.envs(vars.iter().map(|var| var.split_once('=').expect("a variable")));
    Said::of(command.output().expect("it runs"))
}

#[test]
fn who_claims_is_the_author_whom_git_var_names() {
    let scratch = one_node();
    for row in ROWS {
        let mut git = hermetic("git", &scratch.home());
        git.args(["var", "GIT_AUTHOR_IDENT"]);
        let git = of_row(git, &scratch.root, row);
        let mut ours = hermetic(program(), &scratch.home());
        ours.args(["claim", "next", "--dry-run", "--format", "json"]);
        let said = of_row(ours, &scratch.root, row);
        let name = git.out.split_once(" <").map(|(name, _)| name.to_owned());
        let ours = serde_json::from_str::<serde_json::Value>(&said.out).ok();
        let ours = ours.and_then(|json| Some(json["claims"][0]["owner"].as_str()?.to_owned()));
        assert_eq!(ours, name, "{row:?}: {}{}", git.err, said.err);
        if name.is_none() {
            assert!(
                said.code == 2 && said.err.contains("no name is given for the author of this"),
                "{row:?}: {}",
                said.err
            );
        }
    }
}

#[test]
fn git_var_is_asked_only_where_no_name_is_given() {
    let scratch = one_node();
    let (log, bin) = (scratch.base.join("log"), scratch.base.join("bin"));
    let real = hermetic("sh", &scratch.home()).args(["-c", "command -v git"]).output().expect("a shell").stdout;
    let real = String::from_utf8(real).expect("a path");
    executable(
        &bin.join("git"),
        &format!("#!/bin/sh\necho \"$*\" >>'{}'\nexec {} \"$@\"\n", log.display(), real.trim()),
    );
    for (row, is_asked) in
        [((&["GIT_AUTHOR_NAME=Env"][..], &[][..]), false), ((&[], &["user.name=Ann"]), false), ((&[], &[]), true)]
    {
        let mut ours = hermetic(program(), &scratch.home());
        ours.args(["claim", "next", "--dry-run"]).env("PATH", &bin);
        of_row(ours, &scratch.root, row);
        let asked = std::fs::read_to_string(&log).expect("git was asked for something");
        assert_eq!(asked.contains("var GIT_AUTHOR_IDENT"), is_asked, "{row:?}: {asked}");
    }
}
