//! Cases in `tests/data/units`, one file per language. A case is `=== title`, a source, `---`, and one line per unit: `name
//! kind pieces`. A piece is `line:column-line:column` of its first and its last byte, from 1. A reason replaces the units
//! if the source cannot be read.

mod edits;

use super::*;
use std::fmt::Write as _;

/// The units of a source, in the notation of the cases.
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

/// Runs the cases of a language; with `UPDATE_UNITS` in the environment it writes the actual results.
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

fn units(language: Language, source: &str) -> Units {
    read(language, source.as_bytes(), &mut || false).expect("a source that can be read")
}

#[test]
fn a_file_that_is_no_source_is_not_read() {
    let read = |source: &[u8]| read(Language::Python, source, &mut || false).map(|units| units.all().len());
    assert_eq!(read(&vec![b'\n'; MAX_SOURCE]), Ok(0));
    assert_eq!(read(&vec![b'\n'; MAX_SOURCE + 1]), Err(UnreadUnits::Large));
    assert_eq!(read(b"x = 1\n\0"), Err(UnreadUnits::Binary));
    assert_eq!(read(b"\xff\xfex\0"), Err(UnreadUnits::Binary));
    assert_eq!(read(b"\xfe\xff\0x"), Err(UnreadUnits::Binary));
}

#[test]
fn what_takes_too_long_is_not_waited_for() {
    let long = "def f(): pass\n".repeat(20_000);
    assert_eq!(read(Language::Python, long.as_bytes(), &mut || true), Err(UnreadUnits::Costly));
}

#[test]
fn nothing_that_is_nested_or_unterminated_overflows_the_stack() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(2_000), close.repeat(2_000));
    let endless = ["(", "\"", "`${", "<a>", "/*", "<<~A ", "'''", "[{", "r#\"", "if x:\n "];
    let sources =
        [deep("(", ")"), deep("{", "}"), deep("mod a {", "}"), deep("class A {", "}"), deep("class A\n", "end\n")];
    let sources = sources.into_iter().chain(endless.iter().map(|text| text.repeat(2_000)));
    for source in sources {
        for language in Language::ALL {
            let mut questions = 0;
            let mut late = || {
                questions += 1;
                questions > 1_000
            };
            // any answer is fine, but its ranges must lie in the file
            for unit in read(language, source.as_bytes(), &mut late).unwrap_or_default().all() {
                assert!(unit.pieces.iter().all(|piece| piece.start < piece.end && piece.end <= source.len()));
            }
        }
    }
}

#[test]
fn a_file_of_one_line_deep_nesting_or_noise_is_read_inside_the_limits() {
    let nested = |open: &str| open.repeat(100_000);
    let one_line = |text: &str| text.repeat(MAX_SOURCE / text.len());
    let mut state = 0x9e37_79b9_u32;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b' ' + u8::try_from(state >> 25).expect("seven bits") % 95)
    });
    let noise: String = noise.take(100_000).collect();
    let sources = [
        nested("("),
        nested("{"),
        nested("[") + &"]".repeat(100_000),
        nested("-"),
        one_line("x=1;"),
        one_line("\"a\"+"),
        noise,
    ];
    for source in &sources {
        for language in Language::ALL {
            let (mut questions, mut ignored) = (0, 0);
            let mut late = || {
                questions += 1;
                ignored += usize::from(questions > 3_001);
                questions > 3_000
            };
            let _ = read(language, source.as_bytes(), &mut late);
            assert!(ignored == 0, "{language:?} goes on when time is up: {}", &source[..20]);
        }
    }
}

#[test]
fn what_lies_deeper_or_is_called_longer_than_a_name_may_be_is_no_unit() {
    let nested = units(Language::Rust, &format!("{}{}", "mod a {".repeat(40), "}".repeat(40)));
    assert_eq!(nested.all().len(), 32);
    let named = units(Language::Rust, &format!("fn {}() {{}} fn {}() {{}}", "a".repeat(400), "b".repeat(401)));
    assert_eq!(named.all().len(), 1);
}

#[test]
fn a_symbol_is_a_whole_name_or_the_end_of_one() {
    let source = "class A { run() {} stop() {} }\nclass B { run() {} }\nfunction stop() {}\n";
    let units = units(Language::TypeScript, source);
    let named = |symbol: &str| match units.find(symbol) {
        Found::Unit(unit) => unit.name.clone(),
        other => format!("{other:?}"),
    };
    assert_eq!(named("A.run"), "A.run");
    assert_eq!(named("run"), r#"Ambiguous(["A.run", "B.run"])"#);
    assert_eq!(named("stop"), "stop", "the exact name first");
    assert_eq!(named("un"), "Absent", "the end of a name is one of its parts");
    assert_eq!(units.near("A.rum"), ["A.run", "B.run"]);
    assert_eq!(units.near("nothing like it"), Vec::<&str>::new());
}

#[test]
fn an_error_hides_what_may_lie_behind_it() {
    // the error in `g` may have swallowed a second `f`: comparing only the first would miss a change
    let source = "def f(): return 1\ndef g():\n    x = = (\n    def f(): return 2\ndef h(): pass\n";
    let units = units(Language::Python, source);
    assert!(matches!(units.find("h"), Found::Unit(_)), "{units:?}");
    assert!(matches!(units.find("g"), Found::Broken(3)), "{units:?}");
    assert!(matches!(units.find("f"), Found::Broken(3)), "{units:?}");
    assert!(matches!(units.find("gone"), Found::Broken(3)), "{units:?}");
}

#[test]
fn the_bytes_of_a_unit_are_its_pieces_with_one_newline_between() {
    let source = "@a\ndef f(): pass\nx = 1\ndef f(): return 1\n";
    let units = units(Language::Python, source);
    let Found::Unit(unit) = units.find("f") else { panic!("{units:?}") };
    assert_eq!(unit.bytes(source.as_bytes()).as_ref(), b"@a\ndef f(): pass\ndef f(): return 1");
    assert_eq!(unit.lines, (1, 4));
}

#[test]
fn a_heredoc_whose_word_the_parser_could_not_keep_is_not_read() {
    let read = |source: String| read(Language::Ruby, source.as_bytes(), &mut || false).map(|units| units.all().len());
    for quote in ["", "\"", "'", "`"] {
        let heredoc = |length: usize| {
            let word = "A".repeat(length);
            format!("X = [<<~{quote}{word}{quote}, <<B]\n  a\n{word}\nB\n")
        };
        assert_eq!(read(heredoc(255)), Ok(1), "{quote}");
        assert_eq!(read(heredoc(256)), Err(UnreadUnits::Costly), "{quote}");
    }
    assert_eq!(read(format!("X = <<`~A, {}", "<<~B ".repeat(60))), Err(UnreadUnits::Costly), "a word without an end");
}

/// The examples of docs/selectors.md: a source, and the output of `units` for it.
#[test]
fn what_the_documentation_says_belongs_to_a_unit_does() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/selectors.md")).expect("the document");
    let fences: Vec<&str> = text.split("```").skip(1).step_by(2).collect();
    let mut shown = Vec::new();
    for pair in fences.windows(2) {
        let ([source, said], Ok(language)) = (pair, language(&format!("a.{}", pair[0].lines().next().unwrap_or(""))))
        else {
            continue;
        };
        let rows = said.strip_prefix("text\n").expect("its units").lines();
        let wanted: Vec<Vec<&str>> = rows.map(|row| row.split_whitespace().collect()).collect();
        let source = source.split_once('\n').map_or("", |(_, source)| source);
        let found: Vec<String> = units(language, source)
            .all()
            .iter()
            .map(|unit| format!("{} {} {}-{}", unit.name, unit.kind, unit.lines.0, unit.lines.1))
            .collect();
        assert_eq!(found, wanted.iter().map(|row| row.join(" ")).collect::<Vec<_>>(), "{language:?}");
        shown.push(language.as_str());
    }
    assert_eq!(shown, ["typescript", "python", "go", "rust", "java", "ruby"]);
}
