//! `coverage suggest`: the files that a measured run went through, as lines to paste.

use crate::support::{Said, Scratch, fed, scenarios, validate_published};

/// A shop in Go, with the scenario `sums` of `cart/cart.go`.
fn shop() -> Scratch {
    let s = Scratch::new();
    s.write("go.mod", "module example.com/shop\n\ngo 1.21\n");
    for name in ["cart", "price", "tax", "unused"] {
        s.write(&format!("{name}/{name}.go"), format!("package {name}\n\nfunc Run() int {{\n\treturn 1\n}}\n"));
    }
    s.write("cart/cart_test.go", "package cart\n");
    declare(&s, "cart/cart.go", "");
    s.commit("shop");
    s
}

/// Declares `sums` with this list, and more lines of its entry.
fn declare(s: &Scratch, code: &str, more: &str) {
    let entry = scenarios(&[("sums", code)]);
    s.write(".spec/shop/yatsu.md", format!("{}{more}---\n", entry.trim_end_matches("---\n")));
}

/// A profile in which the functions of these files ran, by how often.
fn profile(files: &[(&str, u32)]) -> String {
    let block = |(name, count): &(&str, u32)| format!("{name}:3.16,5.2 1 {count}\n");
    "mode: set\n".to_owned() + &files.iter().map(block).collect::<String>()
}

const RUN: &[(&str, u32)] = &[
    ("example.com/shop/unused/unused.go", 0),
    ("example.com/shop/tax/tax.go", 1),
    ("example.com/shop/price/price.go", 1),
    ("example.com/shop/cart/cart.go", 1),
];

fn suggest(s: &Scratch, profile: &str, more: &[&str]) -> Said {
    s.write("../cover.out", profile);
    s.yatsu(&[&["coverage", "suggest", "shop/sums", "--coverage", "../cover.out"], more].concat())
}

/// V1, V9.
#[test]
fn a_file_that_ran_and_is_not_declared_is_a_line_to_paste() {
    let s = shop();
    let said = suggest(&s, &profile(RUN), &[]).expect(0);
    assert_eq!(said.err, "");
    insta::assert_snapshot!(said.out);
    assert_eq!(s.git(&["status", "--porcelain"]), "", "nothing is written");
    // from below, and from standard input
    let args = ["-C", "price", "coverage", "suggest", "shop", "--coverage", "-"];
    assert_eq!(fed(s.yatsu_command(&args), profile(RUN)).expect(0).out, said.out);
}

/// V1, for programs: sorted and the same bytes for another order and for every part twice.
#[test]
fn the_document_is_sorted_and_byte_stable() {
    let s = shop();
    let json = suggest(&s, &profile(RUN), &["--format", "json"]).expect(0).out;
    validate_published(&json);
    insta::assert_snapshot!(json);
    let mut other = RUN.to_vec();
    other.reverse();
    other.extend(RUN);
    assert_eq!(suggest(&s, &profile(&other), &["--format", "json"]).expect(0).out, json);
    s.write("../more.out", profile(&RUN[..2]));
    let twice = suggest(&s, &profile(&RUN[1..]), &["--coverage", "../more.out", "--format", "json"]).expect(0);
    assert_eq!(twice.out, json);
}

/// V2.
#[test]
fn what_is_declared_in_any_way_or_related_is_not_proposed() {
    let s = shop();
    let nothing = ".spec/shop \u{b7} sums: nothing to add; 3 files ran\ndeclared, never ran: unused/unused.go\n";
    for code in ["'*/*.go'", "[cart, price/, tax/tax.go, unused]", "[cart/cart.go#Run, '?price', tax, unused/*]"] {
        declare(&s, code, "");
        assert_eq!(suggest(&s, &profile(RUN), &[]).expect(0).out, nothing, "{code}");
    }
    declare(&s, "cart/cart.go", "    related: [price, tax/tax.go]\n");
    let said = suggest(&s, &profile(RUN), &[]).expect(0).out;
    assert_eq!(said, ".spec/shop \u{b7} sums: nothing to add; 3 files ran\n");
}

/// V3.
#[test]
fn a_file_with_zeros_is_idle_and_said_where_it_is_declared() {
    let s = shop();
    declare(&s, "[unused/unused.go, cart, price, tax]", "");
    let said = suggest(&s, &profile(RUN), &[]).expect(0).out;
    assert!(said.contains("declared, never ran: unused/unused.go\n"), "{said}");
    let json = suggest(&s, &profile(RUN), &["--format", "json"]).expect(0).out;
    assert_eq!(validate_published(&json)["idle"], serde_json::json!(["unused/unused.go"]));
}

/// V7, V8.
#[test]
fn a_container_has_one_prefix_and_an_installed_copy_has_none() {
    let s = shop();
    let added = |files: &[(&str, u32)]| {
        let json = suggest(&s, &profile(files), &["--format", "json"]).expect(0).out;
        (validate_published(&json)["added"].clone(), validate_published(&json)["left"]["untracked"].clone())
    };
    let container = [("/build/x/price/price.go", 1), ("/build/x/tax/tax.go", 1), ("/usr/lib/os.go", 1)];
    assert_eq!(added(&container), (serde_json::json!(["price/price.go", "tax/tax.go"]), 1.into()));
    let installed =
        [("cart/cart.go", 1), ("/usr/lib/site-packages/price/price.go", 1), ("/usr/lib/site-packages/tax/tax.go", 1)];
    assert_eq!(added(&installed), (serde_json::json!([]), 2.into()));
    let said = suggest(&s, &profile(&[("/build/price/price.go", 1), ("/usr/lib/os.go", 1)]), &[]).expect(1);
    assert_eq!(said.out, "");
    insta::assert_snapshot!(said.err);
}

/// V15.
#[test]
fn a_test_a_generated_file_and_an_untracked_one_are_counted_and_never_proposed() {
    let s = shop();
    s.write(
        ".gitattributes",
        "gen/** linguist-generated\nvendored/* linguist-vendored=true\nprice/* -linguist-generated\n",
    );
    s.write("spexcode.json", r#"{"yatsu":{"exclude":["third/**"]}}"#);
    for name in ["gen/a.go", "gen/deep/b.go", "vendored/a.go", "third/a.go", "tests/a.go", "probe/check.go"] {
        s.write(name, "package a\n");
    }
    declare(&s, "cart/cart.go", "    test: probe/check.go\n");
    s.commit("more");
    s.write("fresh/a.go", "package a\n");
    let files =
        ["gen/a.go", "gen/deep/b.go", "vendored/a.go", "third/a.go", "tests/a.go", "probe/check.go", "fresh/a.go"];
    let files = files.iter().chain(&["cart/cart_test.go", "price/price.go", "../../etc/passwd"]).map(|name| (*name, 1));
    let said = suggest(&s, &profile(&files.collect::<Vec<_>>()), &[]).expect(0).out;
    insta::assert_snapshot!(said);
}

#[test]
fn names_with_escapes_reach_no_terminal() {
    let s = shop();
    let said = suggest(&s, &profile(&[("/x/\u{1b}[31mred.go", 1)]), &[]).expect(1);
    assert!(!said.err.contains('\u{1b}'), "{:?}", said.err);
    s.write("p\u{1b}[31m.go", "package p\n\nfunc Run() int {\n\treturn 1\n}\n");
    s.commit("a hostile name");
    let said = suggest(&s, &profile(&[("p\u{1b}[31m.go", 1)]), &[]).expect(0);
    let line = "ran, and a list cannot hold its name: p\\u{1b}[31m.go\n";
    assert!(said.out.contains(line) && !said.out.contains(['\u{1b}', '+']), "{:?}", said.out);
}

#[test]
fn wrong_arguments_are_misuse() {
    let s = shop();
    let mut all = String::new();
    for args in [&["--test", "TestSum"][..], &["--coverage", "gone.out"], &["--coverage", "-", "--coverage", "-"]] {
        all += &suggest(&s, &profile(RUN), args).expect(2).err;
    }
    all += &suggest(&s, "mode: set\n", &[]).expect(1).err;
    all += &s.yatsu(&["coverage", "suggest", "gone", "--coverage", "../cover.out"]).expect(2).err;
    insta::assert_snapshot!(all.replace(&*s.root.to_string_lossy(), "TOP"));
}

/// V20.
#[test]
fn a_new_scenario_takes_the_files_that_ran() {
    let s = shop();
    s.write("../cover.out", profile(RUN));
    let made = s.yatsu(&["new", "totals", "--from-coverage", "../cover.out"]).expect(0);
    insta::assert_snapshot!(made.out);
    let text = s.read(".spec/totals/yatsu.md");
    assert!(["cart/cart.go", "price/price.go", "tax/tax.go"].iter().all(|name| text.contains(name)), "{text}");
    assert!(!text.contains("unused"), "{text}");
    s.yatsu(&["check", "--all"]).expect(0);
    // what was typed comes first, and covers what lies below it
    let typed = s.yatsu(&["new", "--code", "price", "--from-coverage", "../cover.out", "--dry-run"]).expect(0).out;
    assert!(typed.contains("price") && !typed.contains("price/price.go"), "{typed}");
    s.write("../idle.out", profile(&RUN[..1]));
    let said = s.yatsu(&["new", "idle", "--from-coverage", "../idle.out"]).expect(2).err;
    assert!(said.contains("went through no file that a scenario can govern"), "{said}");
}

/// What `coverage suggest shop/sums` says for programs about this file, with more arguments.
fn proposed(s: &Scratch, report: &str, more: &[&str]) -> serde_json::Value {
    validate_published(&suggest(s, report, &[&["--format", "json"], more].concat()).expect(0).out)
}

/// A shop with these files, in which `sums` governs `src/cart.js`.
fn shop_of(files: &[(&str, &str)]) -> Scratch {
    let s = Scratch::new();
    s.write("src/cart.js", "export const one = 1\n");
    files.iter().for_each(|(name, text)| s.write(name, text));
    declare(&s, "src/cart.js", "");
    s.commit("shop");
    s
}

/// V4, V5. V8 gives a method of one line a hit on its line, also when it is not called.
#[test]
fn a_file_without_a_called_function_is_loaded_though_v8_counts_a_hit() {
    let s = shop_of(&[
        ("src/tax.js", "export class Tax {\n  rate() { return 2 }\n}\n"),
        ("src/price.js", "export function price() {\n  return 1\n}\n"),
    ]);
    let said = proposed(
        &s,
        "TN:\nSF:src/tax.js\nFN:2,rate\nFNDA:0,rate\nFNF:1\nFNH:0\nDA:1,1\nDA:2,1\nDA:3,1\nend_of_record\n\
         SF:src/price.js\nFN:1,price\nFNDA:1,price\nFNF:1\nFNH:1\nDA:1,1\nDA:2,1\nend_of_record\n",
        &[],
    );
    assert_eq!((&said["added"], &said["loaded"]), (&["src/price.js"].into(), &["src/tax.js"].into()), "{said}");
}

/// V6.
#[test]
fn a_name_in_cobertura_is_below_its_source() {
    let s = shop_of(&[("src/shop/tax.py", "def tax():\n    return 1\n")]);
    let source = s.root.join("src/shop").canonicalize().unwrap();
    let said = proposed(
        &s,
        &format!(
            "<?xml version=\"1.0\"?><coverage><sources><source>{}</source></sources><packages><package><classes>\
             <class filename=\"tax.py\"><methods/><lines><line number=\"1\" hits=\"1\"/><line number=\"2\" hits=\"1\"/>\
             </lines></class></classes></package></packages></coverage>",
            source.display()
        ),
        &[],
    );
    assert_eq!(said["added"], serde_json::json!(["src/shop/tax.py"]), "{said}");
}

/// Istanbul writes absolute paths.
#[test]
fn an_absolute_name_of_istanbul_is_below_the_work_tree() {
    let s = shop_of(&[("src/tax.js", "export function tax() {\n  return 1\n}\n")]);
    let name = s.root.join("src/tax.js").canonicalize().unwrap();
    let entry = serde_json::json!({ "path": name, "statementMap": { "0": { "start": { "line": 2 } } }, "s": { "0": 1 },
        "fnMap": { "0": { "decl": { "start": { "line": 1 } } } }, "f": { "0": 1 } });
    let said = proposed(&s, &serde_json::json!({ name.to_string_lossy(): entry }).to_string(), &[]);
    assert_eq!(said["added"], serde_json::json!(["src/tax.js"]), "{said}");
}

/// V19.
#[test]
fn a_test_proposes_what_its_own_contexts_ran() {
    let s = shop_of(&[("src/tax.py", "def tax():\n    return 1\n"), ("src/price.py", "def price():\n    return 1\n")]);
    let file = |test: &str| serde_json::json!({ "executed_lines": [1, 2], "contexts": { "1": [""], "2": [test] } });
    let report = serde_json::json!({ "meta": {}, "files": {
        "src/tax.py": file("tests/test_a.py::test_tax|run"), "src/price.py": file("tests/test_a.py::test_price|run") } });
    let report = report.to_string();
    assert_eq!(proposed(&s, &report, &[])["added"], serde_json::json!(["src/price.py", "src/tax.py"]));
    for test in ["tests/test_a.py::test_tax", "tests/test_a.py::test_tax|run"] {
        assert_eq!(proposed(&s, &report, &["--test", test])["added"], serde_json::json!(["src/tax.py"]), "{test}");
    }
    let said = suggest(&s, &report, &["--test", "tests/test_a.py::test_tux"]).expect(2).err;
    assert!(said.contains("test_tax"), "{said}");
}

/// V16, V17.
#[test]
fn a_file_of_another_format_or_a_bomb_is_refused_with_the_switch() {
    let s = shop();
    let files = [
        "{\"data\":[],\"type\":\"llvm.coverage.json.export\",\"version\":\"2.0.1\"}",
        "SQLite format 3\0\u{10}",
        "<?xml version=\"1.0\"?><!DOCTYPE c [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><coverage><packages/></coverage>",
        "{}",
        "",
    ];
    let all: String = files.iter().map(|file| suggest(&s, file, &[]).expect(2).err).collect();
    insta::assert_snapshot!(all.replace(&*s.root.to_string_lossy(), "TOP"));
}

/// V2.
#[test]
fn a_file_under_coverage_ignore_is_not_proposed() {
    let s = shop();
    s.write("spexcode.json", r#"{"yatsu":{"coverageIgnore":["tax/**"]}}"#);
    s.commit("settings");
    assert_eq!(proposed(&s, &profile(RUN), &[])["added"], serde_json::json!(["price/price.go"]));
    let made = s.yatsu(&["new", "totals", "--from-coverage", "../cover.out", "--dry-run"]).expect(0).out;
    assert!(made.contains("price/price.go") && !made.contains("tax/tax.go"), "{made}");
}

/// A proposed line means the file that ran: pasted into the list, it is proposed no more.
#[test]
fn a_pasted_line_governs_the_file_that_ran() {
    let names = ["?top.js", "src/a, b.js", "# x.js", "@at.js", " lead.js", "src/two: three.js"];
    let s = shop_of(&names.map(|name| (name, "export const a = 1\n")));
    let report = names.iter().map(|name| format!("SF:{name}\nDA:1,1\nend_of_record\n")).collect::<String>();
    let said = suggest(&s, &report, &[]).expect(0).out;
    let lines: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("+ ")).collect();
    assert_eq!(lines.len(), names.len(), "{said}");
    declare(&s, &format!("[src/cart.js, {}]", lines.join(", ")), "");
    s.yatsu(&["check", "--all"]).expect(0);
    assert_eq!(proposed(&s, &report, &[])["added"], serde_json::json!([]), "{said}");
}

/// A list keeps no blank at the end: pasted, the line would be of another file.
#[test]
fn a_file_that_no_line_can_mean_is_said_and_not_proposed() {
    let s = shop_of(&[("src/tail.js ", "export const a = 1\n"), ("src/b.js", "export const b = 1\n")]);
    let report = "mode: set\nsrc/tail.js :1.1,1.9 1 1\nsrc/b.js:1.1,1.9 1 1\n";
    let said = suggest(&s, report, &[]).expect(0).out;
    let lines = "add 1 file to its code list in .spec/shop/yatsu.md\n+ src/b.js\n\
                 ran, and a list cannot hold its name: src/tail.js \n";
    assert!(said.contains(lines), "{said}");
    let said = proposed(&s, report, &[]);
    assert_eq!((&said["added"], &said["ran"][1]["path"]), (&["src/b.js"].into(), &"src/tail.js ".into()), "{said}");
}

/// Without its mark, an entry for a path that may be absent is an error.
#[test]
fn the_proposed_list_keeps_the_mark_of_a_path_that_may_be_absent() {
    let s = shop();
    declare(&s, "[cart/cart.go, '?gone.go', '?tax/tax.go#Run']", "");
    let code = &proposed(&s, &profile(RUN), &[])["code"];
    assert_eq!(*code, serde_json::json!(["?gone.go", "?tax/tax.go#Run", "cart/cart.go", "price/price.go"]));
}

#[test]
fn a_list_of_too_many_files_is_said() {
    let names: Vec<String> = (0..70).map(|at| format!("lib/{at:02}.js")).collect();
    let s = shop_of(&names.iter().map(|name| (name.as_str(), "export const a = 1\n")).collect::<Vec<_>>());
    let report = names.iter().map(|name| format!("SF:{name}\nDA:1,1\nend_of_record\n")).collect::<String>();
    let said = suggest(&s, &report, &[]).expect(0).out;
    assert!(said.contains("the list would have 71 paths, and 64 is the limit: name directories instead\n"), "{said}");
    s.write("../cover.info", &report);
    let said = s.yatsu(&["new", "lib", "--from-coverage", "../cover.info"]).expect(2).err;
    assert!(said.contains("the list would have 70 paths, and 64 is the limit"), "{said}");
    for typed in ["lib/*.js", "lib"] {
        s.yatsu(&["new", "lib", "--code", typed, "--from-coverage", "../cover.info", "--dry-run"]).expect(0);
    }
}

/// `path#symbol` governs its file.
#[test]
fn a_typed_selector_keeps_its_file_out_of_the_list() {
    let s =
        shop_of(&[("src/tax.js", "export function tax() {\n  return 1\n}\n"), ("src/b.js", "export const b = 1\n")]);
    let of_file = |name: &str| format!("SF:src/{name}.js\nDA:1,1\nDA:2,1\nend_of_record\n");
    s.write("../cover.info", of_file("tax") + &of_file("b"));
    let args = ["new", "taxes", "--code", "src/tax.js#tax", "--from-coverage", "../cover.info", "--dry-run"];
    let said = s.yatsu(&args).expect(0).out;
    assert!(said.contains("src/tax.js#tax") && said.contains("src/b.js"), "{said}");
}

/// Two links to one directory, and one that leads nowhere: a name is the tracked file behind its link.
#[test]
fn a_name_through_a_link_is_the_file_behind_it() {
    use std::os::unix::fs::symlink;
    let s =
        shop_of(&[("src/tax.js", "export function tax() {\n  return 1\n}\n"), ("src/b.js", "export const b = 1\n")]);
    let link = |to: &str, name: &str| symlink(to, s.root.join(name)).expect("a link");
    link("src", "lib");
    link("lib/b.js", "b.js");
    link("/etc", "out");
    s.commit("links");
    link("src", "fresh");
    let of_file = |name: &str| format!("SF:{name}\nDA:1,1\nDA:2,1\nend_of_record\n");
    let named = |names: &[&str]| proposed(&s, &names.iter().map(|name| of_file(name)).collect::<String>(), &[]);
    let said = named(&["lib/tax.js", "src/tax.js", "b.js", "out/passwd", "fresh/b.js"]);
    assert_eq!(said["added"], serde_json::json!(["src/b.js", "src/tax.js"]), "{said}");
    assert_eq!(said["left"]["untracked"], 2, "{said}");
    std::fs::remove_file(s.root.join("src/b.js")).expect("a file");
    assert_eq!(
        named(&["lib/tax.js", "b.js"])["added"],
        serde_json::json!(["src/tax.js"]),
        "the link leads nowhere now"
    );
}

/// One file among many has a name that no list can hold; the node calls another one related.
#[test]
fn a_new_scenario_leaves_out_a_name_that_cannot_be_written_and_a_related_file() {
    let names = ["src/b.js", " lead.js", "?top.js", "src/log.js"];
    let s = shop_of(&names.map(|name| (name, "export const a = 1\n")));
    s.write(".spec/totals/spec.md", "---\ntitle: totals\nrelated: [src/log.js]\n---\n");
    s.commit("a node");
    let report = names.iter().map(|name| format!("SF:{name}\nDA:1,1\nend_of_record\n")).collect::<String>();
    s.write("../cover.info", report);
    let said = s.yatsu(&["new", "totals", "--from-coverage", "../cover.info"]).expect(0);
    for name in [" lead.js", "?top.js"] {
        let sentence = format!("left out: `{name}` ran, and a list cannot hold its name\n");
        assert!(said.err.contains(&sentence), "{}", said.err);
    }
    assert!(s.read(".spec/totals/yatsu.md").contains("src/b.js"), "{}", s.read(".spec/totals/yatsu.md"));
    s.yatsu(&["check", "--all"]).expect(0);
    // without a node of that name nothing is related, and the first file names the node
    let said = s.yatsu(&["new", "--from-coverage", "../cover.info", "--dry-run"]).expect(0).out;
    assert!(said.contains(".spec/b/yatsu.md") && said.contains("code: [src/b.js, src/log.js]"), "{said}");
}

/// `--code` through a link governs what is behind it.
#[test]
fn a_typed_link_keeps_what_is_behind_it_out_of_the_list() {
    let s = shop_of(&[("src/tax.js", "export const a = 1\n"), ("b.js", "export const b = 1\n")]);
    std::os::unix::fs::symlink("src", s.root.join("lib")).expect("a link");
    s.commit("a link");
    s.write("../cover.info", "SF:src/tax.js\nDA:1,1\nend_of_record\nSF:b.js\nDA:1,1\nend_of_record\n");
    for typed in ["lib", "lib/tax.js"] {
        let args = ["new", "taxes", "--code", typed, "--from-coverage", "../cover.info", "--dry-run"];
        let said = s.yatsu(&args).expect(0).out;
        assert!(said.contains(&format!("code: [{typed}, b.js]")), "{said}");
    }
}
