//! One function is measured; then it and its surroundings change.

use super::{declare, measured, standing};
use crate::support::{Scratch, findings, validate_published};

const BOX: &str = "export class Box {\n  shut() {\n    return 1;\n  }\n  open() {\n    return 2;\n  }\n}\n";
const PACK: &str = "export function pack() {\n  return 1;\n}\n";

fn of_box() -> Scratch {
    measured("src/box.ts#Box.shut", &[("src/box.ts", BOX)])
}

#[test]
fn a_reading_of_one_method_outlives_every_edit_around_it_and_none_inside() {
    let s = of_box();
    assert_eq!(standing(&s), "fresh");
    s.write("src/box.ts", format!("// a box\nimport 'x';\n\n{}", BOX.replace("return 2", "return 20")));
    assert_eq!(standing(&s), "fresh", "in the work tree");
    s.commit("open otherwise");
    assert_eq!(standing(&s), "fresh", "committed");
    assert_eq!(findings(&s, "yatsu-drift", &["--all"]), [] as [serde_json::Value; 0]);
    s.write("src/box.ts", BOX.replace("return 1", "return 10"));
    assert_eq!(standing(&s), "src/box.ts#Box.shut");
    s.commit("shut otherwise");
    assert!(s.yatsu(&["scan"]).out.contains("moved: src/box.ts#Box.shut\n"));
    assert!(s.yatsu(&["show", "n"]).expect(0).out.contains("moved: src/box.ts#Box.shut +"));
    s.write("src/box.ts", BOX);
    s.commit("as before");
    assert_eq!(standing(&s), "fresh", "edited back");
}

#[test]
fn a_reading_carries_the_id_of_the_unit_that_it_measured() {
    let s = of_box();
    let line: serde_json::Value = serde_json::from_str(&s.read(".spec/n/yatsu.evals.ndjson")).unwrap();
    let piece = "shut() {\n    return 1;\n  }";
    s.write("piece", piece);
    let id = s.git(&["hash-object", "piece"]);
    assert_eq!(line["units"], serde_json::json!({"src/box.ts#Box.shut": id.trim()}));
    assert!(line["governed"]["src/box.ts"].is_string());
    assert_eq!(line.get("dirty"), None);
}

#[test]
fn a_function_that_moves_to_another_file_keeps_its_reading_and_a_renamed_one_does_not() {
    let s =
        measured("src/a.ts#pack", &[("src/a.ts", &format!("{PACK}const rest = 1;\n")), ("src/b.ts", "const b = 1;\n")]);
    s.write("src/a.ts", "const rest = 1;\n");
    s.write("src/b.ts", format!("const b = 2;\n{PACK}"));
    declare(&s, "src/b.ts#pack");
    s.commit("pack lives in b");
    assert_eq!(standing(&s), "fresh");
    s.write("src/b.ts", format!("const b = 2;\n{}", PACK.replace("pack", "stow")));
    declare(&s, "src/b.ts#stow");
    s.commit("pack is called stow");
    let renamed = "src/a.ts#pack (left the list, and moved), src/b.ts#stow (no such unit where it was measured)";
    assert_eq!(standing(&s), renamed);
}

#[test]
fn a_file_that_is_moved_with_git_and_edited_around_its_unit_keeps_the_reading() {
    let s = measured("src/a.ts#pack", &[("src/a.ts", &format!("{PACK}const rest = 1;\n"))]);
    s.git(&["mv", "src/a.ts", "src/packing.ts"]);
    s.write("src/packing.ts", format!("const rest = 2;\n{PACK}"));
    declare(&s, "src/packing.ts#pack");
    s.commit("moved");
    assert_eq!(standing(&s), "fresh");
}

#[test]
fn what_cannot_be_read_is_compared_as_a_whole_and_says_why() {
    let s = of_box();
    s.write("src/box.ts", format!("{BOX})))\n"));
    assert_eq!(standing(&s), "src/box.ts#Box.shut (the grammar cannot read it at line 9)");
    let told = s.yatsu(&["scan"]).out;
    let said = "moved: src/box.ts#Box.shut (the whole file is compared: the grammar cannot read it at line 9)\n";
    assert!(told.contains(said), "{told}");
    let s = measured("src/box.ts#Box.shut", &[("src/box.ts", "class Box { shut( }\n")]);
    assert_eq!(standing(&s), "fresh", "it never parsed and never changed");
}

#[test]
fn a_reading_of_a_rebased_commit_whose_objects_are_gone_still_speaks_by_its_stamp() {
    let s = measured("src/a.ts#pack", &[("src/a.ts", &format!("{PACK}const rest = 1;\n"))]);
    let line = s.read(".spec/n/yatsu.evals.ndjson");
    s.write("src/a.ts", format!("{PACK}const rest = 2;\n"));
    s.git(&["add", "-A"]);
    let tree = s.git(&["write-tree"]);
    let fresh = s.git(&["commit-tree", tree.trim(), "-m", "rewritten"]);
    s.git(&["reset", "-q", "--hard", fresh.trim()]);
    s.git(&["reflog", "expire", "--expire=now", "--all"]);
    s.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(standing(&s), "fresh");
    s.write("src/a.ts", format!("{}const rest = 2;\n", PACK.replace('1', "3")));
    assert_eq!(standing(&s), "src/a.ts#pack");
    s.write("src/a.ts", format!("{PACK}const rest = 2;\n"));
    let start = line.find(",\"units\"").expect("units");
    let end = start + line[start..].find('}').expect("an end") + 1;
    s.write(".spec/n/yatsu.evals.ndjson", format!("{}{}", &line[..start], &line[end..]));
    assert_eq!(standing(&s), "src/a.ts#pack (the measured content is not here any more)");
}

#[test]
fn filing_warns_of_the_unit_and_not_of_its_file() {
    let s = of_box();
    let eval = |more: &[&str]| s.yatsu(&[&["eval", "n", "--scenario", "works", "--fail"], more].concat());
    s.write("src/box.ts", BOX.replace("return 2", "return 20"));
    let said = eval(&["--strict"]).expect(0);
    assert!(!said.err.contains("differ"), "{}", said.err);
    assert!(
        s.read(".spec/n/yatsu.evals.ndjson").lines().last().unwrap().contains("\"dirty\":true"),
        "of files as before"
    );
    s.write("src/box.ts", BOX.replace("return 1", "return 10"));
    let said = eval(&["--strict"]).expect(1);
    assert!((said.out + &said.err).contains("src/box.ts#Box.shut"));
    assert!(eval(&[]).expect(0).err.contains("src/box.ts#Box.shut"));
    assert_eq!(standing(&s), "fresh", "on the bytes that were measured");
}

#[test]
fn a_path_with_a_number_sign_that_is_there_is_that_path() {
    let s = measured("docs/a#b.md", &[("docs/a#b.md", "one\n"), ("docs/a", "two\n")]);
    s.write("docs/a", "three\n");
    assert_eq!(standing(&s), "fresh");
    s.write("docs/a#b.md", "four\n");
    assert_eq!(standing(&s), "docs/a#b.md");
}

#[test]
fn a_line_whose_units_have_another_shape_is_not_added() {
    let s = of_box();
    let line = s.read(".spec/n/yatsu.evals.ndjson");
    for (from, to, said) in [
        ("#Box.shut", "", "has src/box.ts, and \"metrics\" has no value for it"),
        ("shut\":\"", "shut\":\"zz", "must have a full object id"),
    ] {
        let wrong = line.replace(from, to).replace("\"pass\"", "\"fail\"");
        s.write(".spec/n/yatsu.evals.ndjson", format!("{line}{wrong}"));
        s.git(&["add", "-A"]);
        let report = validate_published(&s.yatsu(&["check", "--staged", "--format", "json"]).expect(1).out);
        let found = report["findings"].to_string();
        assert!(found.contains("ledger-schema") && found.contains(&said.replace('"', "\\\"")), "{found}");
    }
}
