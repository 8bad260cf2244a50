use super::*;
use crate::error::ErrorKind;
use crate::model::governed::Found;
use crate::names::CONFIG_FILE;
use crate::tree::memory::MemoryTree;

const FILE: &str =
    "---\nscenarios:\n  - name: s\n    description: d\n    expected: e\n    tags: [cli]\n    code: src/a.rs\n---\n";
const READING: &str =
    r#"{"scenario":"s","codeSha":"4b825dc642cb6eb9a060e54bf8d69288fbee4904","ts":"2026-01-01T00:00:00.000Z"}"#;

fn path(text: &str) -> RepoPath {
    RepoPath::from_git(text)
}

fn loaded(tree: &MemoryTree) -> Workspace {
    load(tree, read_config(tree).unwrap(), &Select::All).unwrap()
}

fn dirs(tree: &MemoryTree) -> Vec<String> {
    loaded(tree).nodes.iter().map(|node| node.dir.to_string()).collect()
}

#[test]
fn ours_are_these_names_in_these_places() {
    let tree = MemoryTree::of_files(&[
        (".spec/a/spec.md", ""),
        (".spec/b/eval.md", FILE),
        (".spec/c/yatsu.md", FILE),
        (".spec/c/x/readme.md", ""),
        (".spec/d/evals.ndjson", READING),
        ("docs/eval.md", FILE),
        ("docs/spec.md", ""),
        ("docs/evals.ndjson", READING),
        ("lib/yatsu.md", FILE),
        ("left/yatsu.evals.ndjson", READING),
    ]);
    assert_eq!(dirs(&tree), [".spec/a", ".spec/b", ".spec/c", ".spec/d", "left", "lib"]);
    let all = loaded(&tree);
    assert!(all.node(&path(".spec/a")).unwrap().spec.is_some());
    let lonely = all.node(&path(".spec/d")).unwrap();
    assert!(lonely.file.is_none() && lonely.spec.is_none() && lonely.ledgers[0].lines.len() == 1);
    assert_eq!(lonely.id, "d");
}

#[test]
fn what_is_almost_one_of_our_names_is_kept_as_such() {
    let tree = MemoryTree::of_files(&[
        (".spec/a/SPEC.md", ""),
        (".spec/b/yatsu.md", FILE),
        (".spec/b/yatsu.md ", FILE),
        ("docs/Spec.md", ""),
        ("docs/my-yatsu.md", ""),
        ("lib/Yatsu.md/inner", ""),
        ("lib/Yatsu.md/other", ""),
    ]);
    assert_eq!(dirs(&tree), [".spec/a", ".spec/b", "lib"]);
    let all = loaded(&tree);
    let almost: Vec<_> = all.nodes.iter().flat_map(|node| &node.look_alikes).map(RepoPath::to_string).collect();
    assert_eq!(almost, [".spec/a/SPEC.md", ".spec/b/yatsu.md ", "lib/Yatsu.md"]);
    assert!(all.node(&path(".spec/b")).unwrap().file.is_some());
}

#[test]
fn roots_and_excludes_are_the_configuration_s() {
    let files = [("a/spec.md", ""), ("b/eval.md", FILE), ("vendor/x/yatsu.md", FILE), ("spec.md", "")];
    let mut tree = MemoryTree::of_files(&files);
    assert_eq!(dirs(&tree), ["vendor/x"]);
    tree.put(CONFIG_FILE, Kind::File, br#"{"yatsu":{"roots":["."],"exclude":["vendor"]}}"#);
    assert_eq!(dirs(&tree), ["", "a", "b"]);
    assert_eq!(loaded(&tree).nodes[0].id, "root");
}

#[test]
fn two_generations_in_one_directory() {
    let tree = MemoryTree::of_files(&[
        (".spec/a/eval.md", FILE),
        (".spec/a/evals.ndjson", READING),
        (".spec/a/yatsu.evals.ndjson", READING),
        (".spec/a/yatsu.md", FILE),
    ]);
    let node = &loaded(&tree).nodes[0];
    assert_eq!(node.file.as_ref().unwrap().path, path(".spec/a/yatsu.md"));
    assert_eq!(node.second_file, Some(path(".spec/a/eval.md")));
    let ledgers: Vec<_> = node.ledgers.iter().map(|ledger| ledger.path.name().to_string()).collect();
    assert_eq!(ledgers, ["yatsu.evals.ndjson", "evals.ndjson"]);
}

#[test]
fn a_lone_newer_name_is_the_scenario_file() {
    let node = &loaded(&MemoryTree::of_files(&[(".spec/a/eval.md", FILE)])).nodes[0];
    assert_eq!((node.file.as_ref().unwrap().scenarios.len(), &node.second_file), (1, &None));
}

#[test]
fn what_is_no_regular_file_is_refused_unopened() {
    let tree = MemoryTree::from(&[
        (".spec/a/yatsu.md", Kind::Link, "../b/yatsu.md"),
        (".spec/a/yatsu.evals.ndjson", Kind::Link, "/etc/passwd"),
        (".spec/b/yatsu.md", Kind::Exec, FILE),
        (".spec/b/yatsu.evals.ndjson", Kind::Exec, READING),
        (".spec/c/yatsu.md/x/y", Kind::File, FILE),
        (".spec/d/yatsu.md", Kind::Submodule, "commit"),
        (
            ".spec/e/yatsu.evals.ndjson",
            Kind::File,
            "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
        ),
        (".spec/f/spec.md", Kind::Link, "../a/yatsu.md"),
    ]);
    let all = loaded(&tree);
    let refused = |dir: &str| {
        let node = all.node(&path(dir)).unwrap();
        let file = node.file.as_ref().and_then(|file| file.problems.first()).map(|problem| problem.key.clone());
        let ledger = node.ledgers.first().and_then(|ledger| ledger.problems.first()).map(|problem| problem.key.clone());
        (file, ledger)
    };
    let key = |text: &str| Some(text.to_owned());
    assert_eq!(refused(".spec/a"), (key("file-kind"), key("file-kind")));
    assert_eq!(refused(".spec/b"), (None, key("executable")));
    assert_eq!(refused(".spec/c"), (key("file-kind"), None));
    assert_eq!(refused(".spec/d"), (key("file-kind"), None));
    assert_eq!(refused(".spec/e"), (None, key("lfs-pointer")));
    assert!(all.node(&path(".spec/c")).unwrap().file.as_ref().unwrap().problems[0].message.contains("a directory"));
    assert_eq!(all.node(&path(".spec/b")).unwrap().ledgers[0].lines.len(), 1);
    assert!(all.node(&path(".spec/f")).unwrap().spec.is_some());
}

#[test]
fn ids_do_not_depend_on_the_selection() {
    let tree = MemoryTree::of_files(&[
        (".spec/a/cli/spec.md", ""),
        (".spec/b/cli/yatsu.md", FILE),
        (".spec/c/cli/evals.ndjson", READING),
        (".spec/c/spec.md", ""),
    ]);
    let ids: Vec<_> = loaded(&tree).nodes.into_iter().map(|node| node.id).collect();
    assert_eq!(ids, ["a_cli", "b_cli", "c", "cli"]);
    let one = Select::Dirs(BTreeSet::from([path(".spec/b/cli")]));
    let some = load(&tree, Config::default(), &one).unwrap();
    assert_eq!(some.nodes.iter().map(|node| node.id.as_str()).collect::<Vec<_>>(), ["b_cli"]);
}

#[test]
fn governed_paths_are_resolved_in_the_view() {
    let mut tree = MemoryTree::of_files(&[(".spec/a/yatsu.md", FILE), ("src/a.rs", "")]);
    let found = |tree: &MemoryTree| loaded(tree).nodes[0].file.as_ref().unwrap().scenarios[0].code[0].found.clone();
    assert_eq!(found(&tree), Found::Path);
    tree.remove("src/a.rs");
    assert_eq!(found(&tree), Found::Ghost);
}

#[test]
fn a_configuration_that_cannot_be_used_is_an_error() {
    let config = |kind, content: &str| read_config(&MemoryTree::from(&[(CONFIG_FILE, kind, content)]));
    assert_eq!(config(Kind::File, "{").unwrap_err().kind, ErrorKind::Config);
    assert_eq!(config(Kind::Link, "/etc/passwd").unwrap_err().kind, ErrorKind::Config);
    assert_eq!(config(Kind::File, &" ".repeat(300_000)).unwrap_err().kind, ErrorKind::Config);
    assert_eq!(config(Kind::Exec, "{}").unwrap(), Config::default());
    assert_eq!(read_config(&MemoryTree::default()).unwrap(), Config::default());
}

#[test]
fn what_nodes_name_is_told_without_loading_them() {
    let list = "---\nscenarios:\n  - {name: s, code: [src/a.rs, 'lib/*.rs'], related: docs}\n  - name: t\n    test: {path: t.rs}\n  - {name: s, code: other.rs}\n  - [\n---\n";
    let blob = "9b01f58abd6b88d720829d7ec45e313449c1516f4a88e8dee0e8dc06795b805e";
    let measured = READING.replace("\"ts\"", &format!("\"blob\":\"{blob}\",\"ts\""));
    let mut tree = MemoryTree::of_files(&[
        (".spec/a/spec.md", "---\ncode: src\nrelated: [docs, ../up]\n---\n"),
        (".spec/a/yatsu.md", list),
        (".spec/a/evals.ndjson", &format!("{measured}\n{{\n")),
        (".spec/b/eval.md", FILE),
        ("left/yatsu.evals.ndjson", &measured),
        ("lib/yatsu.md", &FILE.repeat(20_000)),
    ]);
    tree.put(".spec/c/yatsu.md", Kind::Link, b"../b/eval.md");
    tree.put(".spec/c/evals.ndjson", Kind::Link, b"/etc/passwd");
    let mut told = Vec::new();
    named_by_nodes(&tree, &read_config(&tree).unwrap(), &mut |named| {
        told.push(named);
        Ok(())
    })
    .unwrap();
    let nodes = loaded(&tree).nodes;
    assert_eq!(
        told.iter().map(|named| &named.dir).collect::<Vec<_>>(),
        nodes.iter().map(|node| &node.dir).collect::<Vec<_>>()
    );
    for (named, node) in told.iter().zip(&nodes) {
        assert_eq!(named.is_node, node.spec.is_some() || node.file.is_some(), "{}", node.dir);
        let scenarios = node.scenarios().iter();
        let lists = scenarios.flat_map(|scenario| scenario.code.iter().chain(&scenario.related).chain(&scenario.test));
        let of_spec = node.spec.iter().flat_map(|spec| spec.code.iter().chain(&spec.related));
        for governed in lists.chain(of_spec) {
            assert!(named.governed.iter().any(|told| told.path == governed.path), "{}: {}", node.dir, governed.text);
        }
    }
    let shown = |at: usize| (told[at].governed.len(), told[at].hashes.len(), told[at].is_measured);
    assert_eq!([0, 1, 2, 3, 4].map(shown), [(8, 1, true), (1, 0, false), (0, 0, true), (0, 1, false), (0, 0, false)]);
}

#[test]
fn an_oversized_scenario_file_is_not_parsed() {
    let tree = MemoryTree::of_files(&[(".spec/a/yatsu.md", &FILE.repeat(20_000))]);
    let node = &loaded(&tree).nodes[0];
    assert_eq!(node.file.as_ref().unwrap().problems[0].key, "file-size");
}
