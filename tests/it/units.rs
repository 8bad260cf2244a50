//! `units`: the named declarations of a source file.

use crate::support::{Scratch, scenarios, validate_published};

const SOURCE: &str = "export class Box {\n  shut() {}\n}\nexport const a = 1;\n";

fn repository() -> Scratch {
    let s = Scratch::new();
    s.write("src/box.ts", SOURCE);
    s.write("src/notes.zig", "const a = 1;\n");
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/box.ts")]));
    s.commit("begin");
    s
}

#[test]
fn every_declaration_is_told_with_what_it_is_and_its_lines() {
    let said = repository().yatsu(&["units", "src/box.ts"]).expect(0);
    assert_eq!(said.out, "Box       class     1-3\nBox.shut  method    2-2\na         variable  4-4\n");
    assert_eq!(said.err, "");
}

#[test]
fn the_id_of_a_unit_is_what_git_gives_its_bytes() {
    let s = repository();
    let json = validate_published(&s.yatsu(&["units", "src/box.ts", "--format", "json"]).expect(0).out);
    s.write("piece", "shut() {}");
    let id = s.git(&["hash-object", "piece"]);
    assert_eq!(json["units"][1]["id"], id.trim());
    assert_eq!((&json["path"], &json["language"]), (&"src/box.ts".into(), &"typescript".into()));
    assert_eq!(json["unread"], serde_json::Value::Null);
}

#[test]
fn the_index_and_a_commit_have_their_own() {
    let s = repository();
    s.write("src/box.ts", "function staged() {}\n");
    s.git(&["add", "-A"]);
    s.write("src/box.ts", "function here() {}\n");
    let named = |args: &[&str]| s.yatsu(&[&["units", "src/box.ts"], args].concat()).expect(0).out;
    assert_eq!(named(&[]), "here  function  1-1\n");
    assert_eq!(named(&["--staged"]), "staged  function  1-1\n");
    assert!(named(&["--rev", "HEAD"]).starts_with("Box "));
}

#[test]
fn a_file_whose_units_are_not_known_says_why() {
    let s = repository();
    assert_eq!(
        s.yatsu(&["units", "src/notes.zig"]).expect(0).out,
        "the whole file is compared: no units known for .zig\n"
    );
    s.write("src/box.ts", "function a() {}\n)))\n");
    assert_eq!(
        s.yatsu(&["units", "src/box.ts"]).expect(0).out,
        "the whole file is compared: the grammar cannot read it at line 2\n"
    );
    let json = validate_published(&s.yatsu(&["units", "src/box.ts", "--format", "json"]).expect(0).out);
    assert_eq!(json["unread"], "the grammar cannot read it at line 2");
    s.write("src/box.ts", "");
    assert_eq!(s.yatsu(&["units", "src/box.ts"]).expect(0).out, "it declares nothing that has a name\n");
}

#[test]
fn what_is_no_file_is_refused_and_the_nearest_named() {
    let s = repository();
    let said = s.yatsu(&["units", "src/bxo.ts"]).expect(2);
    assert!(
        said.err.contains("src/bxo.ts is no file here") && said.err.contains("did you mean src/box.ts?"),
        "{}",
        said.err
    );
    let said = s.yatsu(&["units", "src"]).expect(2).err;
    assert!(said.contains("src is no file here, but a directory") && !said.contains("did you mean"), "{said}");
    s.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},sub", "1".repeat(40))]);
    let said = s.yatsu(&["units", "sub", "--staged"]).expect(2).err;
    assert!(said.contains("sub is no file here, but a submodule"), "{said}");
}

/// A cloned repository holds a stranger's files.
#[test]
fn hostile_sources_end_with_an_answer() {
    let s = repository();
    let noise: Vec<u8> = (0..200_000_u32)
        .map(|n| 32 + u8::try_from(n.wrapping_mul(2_654_435_761) >> 25).expect("seven bits") % 95)
        .collect();
    let utf16: Vec<u8> = "\u{feff}class A {}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let sources: [(&str, Vec<u8>, Option<&str>); 7] = [
        ("5 MB on one line", b"x=1;".repeat(1_250_000), Some("larger than 1 MiB")),
        ("a NUL", b"class A {}\0".to_vec(), Some("binary")),
        ("UTF-16", utf16, Some("binary")),
        ("1 MiB on one line", b"x=1;".repeat(1 << 18), None),
        ("nested", [b"(".repeat(100_000), b")".repeat(100_000)].concat(), None),
        ("unterminated", b"class A { `${ \"' /* (".repeat(1_000), None),
        ("noise", noise, None),
    ];
    for (what, bytes, unread) in sources {
        for ending in ["ts", "py", "rb", "rs"] {
            let path = format!("src/hostile.{ending}");
            s.write(&path, &bytes);
            let json = validate_published(&s.yatsu(&["units", &path, "--format", "json"]).expect(0).out);
            if let Some(unread) = unread {
                assert_eq!(json["unread"], unread, "{what} in {path}");
            }
        }
    }
}
