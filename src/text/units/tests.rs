//! Cases in `tests/data/units`, a file a language. A case is `=== what it shows`, a source, `---`, and a line a unit:
//! `name kind pieces`, a piece being `line:column-line:column` of its first byte and of its last, from 1; or why the
//! source cannot be read.

use super::*;
use std::fmt::Write as _;

/// The units of a source, as cases spell them.
fn told(language: Language, source: &[u8]) -> String {
    let place = |at: usize| {
        let before = &source[..at];
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        format!("{}:{}", before.iter().filter(|byte| **byte == b'\n').count() + 1, at - line_start + 1)
    };
    let units = match read(language, source, &mut || false) {
        Ok(units) => units,
        Err(unread) => return format!("{unread}\n"),
    };
    let mut out = String::new();
    for unit in units.all() {
        let pieces = unit.pieces.iter().map(|piece| format!("{}-{}", place(piece.start), place(piece.end - 1)));
        let broken = unit.broken.map(|line| format!(" broken:{line}")).unwrap_or_default();
        writeln!(out, "{} {} {}{broken}", unit.name, unit.kind, pieces.collect::<Vec<_>>().join("+"))
            .expect("a string");
    }
    out
}

/// Runs the cases of a language; with `UPDATE_UNITS` in the environment it writes what was found.
fn cases(language: Language, file: &str) {
    let path = format!("{}/tests/data/units/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the cases of a language");
    let (mut found, mut wrong) = (String::new(), Vec::new());
    for case in text.split("=== ").skip(1) {
        let (title, rest) = case.split_once('\n').expect("a title");
        let (source, wanted) = rest.split_once("\n---\n").expect("a source and its units");
        let actual = told(language, source.as_bytes());
        write!(found, "=== {title}\n{source}\n---\n{actual}\n").expect("a string");
        if actual.trim() != wanted.trim() {
            wrong.push(format!("{title}\nfound:\n{actual}wanted:\n{wanted}"));
        }
    }
    if std::env::var_os("UPDATE_UNITS").is_some() {
        std::fs::write(&path, found.trim_end().to_owned() + "\n").expect("the cases are written");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn go() {
    cases(Language::Go, "go.txt");
}

#[test]
fn java() {
    cases(Language::Java, "java.txt");
}

#[test]
fn javascript() {
    cases(Language::JavaScript, "javascript.txt");
}

#[test]
fn python() {
    cases(Language::Python, "python.txt");
}

#[test]
fn ruby() {
    cases(Language::Ruby, "ruby.txt");
}

#[test]
fn rust() {
    cases(Language::Rust, "rust.txt");
}

#[test]
fn typescript() {
    cases(Language::TypeScript, "typescript.txt");
}

#[test]
fn tsx() {
    cases(Language::Tsx, "tsx.txt");
}
