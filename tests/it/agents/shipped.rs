//! What people get without `agent install`: the plugin of the package, and the recipes of the documents.

use super::install::{FILES, tree};
use crate::support::{Said, Scratch, hermetic, program, search_path};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn the_plugin_that_the_project_ships_is_the_one_that_install_writes() {
    let s = Scratch::new();
    s.yatsu(&["agent", "install", "--plugin", "../plugin"]).expect(0);
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/agent-plugin");
    let relative = |dir: &Path| -> Vec<(PathBuf, Vec<u8>)> {
        let of = |(path, bytes, _): (PathBuf, Vec<u8>, u32)| (path.strip_prefix(dir).expect("below").to_owned(), bytes);
        tree(dir).into_iter().map(of).collect()
    };
    assert_eq!(relative(&s.base.join("plugin")), relative(&shipped));
    let again = s.yatsu(&["agent", "install", "--plugin", "../plugin"]).expect(1);
    assert!(again.err.contains("is there already"), "{}", again.err);
    // Claude Code and Codex look for the list of plugins at the top of a repository and nowhere else
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join(".claude-plugin/marketplace.json");
    let list: Value = serde_json::from_str(&fs::read_to_string(list).expect("a list")).expect("JSON");
    assert_eq!(list["plugins"][0]["source"], "./packaging/agent-plugin");
    assert_eq!(list["plugins"][0]["name"], "yatsu-hook");
}

/// The recipe of each harness in docs/agents.md, with the name of its section.
fn recipes() -> Vec<(String, String)> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/agents.md")).expect("a page");
    let sections = page.split("\n### ").skip(1);
    let recipe = |section: &str| {
        let (name, text) = section.split_once('\n').expect("a title");
        let recipe = text.split("```sh\n").nth(1)?.split("```").next()?;
        Some((name.to_owned(), recipe.to_owned()))
    };
    sections.filter_map(recipe).collect()
}

#[test]
fn the_recipe_of_every_harness_in_the_documentation_works() {
    let recipes = recipes();
    assert_eq!(recipes.len(), FILES.len(), "{recipes:?}");
    for ((name, recipe), (harness, file)) in recipes.iter().zip(FILES) {
        assert!(recipe.contains(&format!("--for {harness}\n")), "{name}");
        let s = crate::support::one_node();
        let path = std::env::join_paths(
            [program().parent().expect("a directory").to_owned()]
                .into_iter()
                .chain(std::env::split_paths(search_path())),
        );
        let mut shell = hermetic("sh", &s.home());
        shell.env("PATH", path.expect("a path")).current_dir(&s.root).args(["-ec", recipe]);
        let said = Said::of(shell.output().expect("a shell")).expect(0);
        let answer = said.out.lines().skip_while(|line| !line.starts_with("installed ")).skip(1).collect::<String>();
        assert!(answer.is_empty() || serde_json::from_str::<Value>(&answer).is_ok(), "{name}: {}", said.out);
        assert_eq!(s.git(&["diff", "--cached", "--name-only"]), file, "{name}");
        let ls = s.yatsu(&["agent", "ls"]).expect(0).out;
        assert!(ls.contains(&format!("{harness:<8} project  installed   {file}\n")), "{ls}");
    }
}
