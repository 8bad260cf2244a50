//! What the formats have in common: detection, refusals, limits, and that the same run is the same coverage in each.

mod model;
mod samples;

use super::*;

pub(super) fn parsed(text: impl AsRef<[u8]>) -> Coverage {
    match read(text.as_ref(), &[]) {
        Ok(coverage) => coverage,
        Err(fault) => panic!("{fault:?}: {}", String::from_utf8_lossy(text.as_ref())),
    }
}

pub(super) fn fault(text: impl AsRef<[u8]>) -> CoverageFault {
    read(text.as_ref(), &[]).expect_err(&String::from_utf8_lossy(text.as_ref()))
}

/// How many functions the tool saw.
fn functions(file: &MeasuredFile) -> Option<u32> {
    file.functions.as_ref().map(Lines::count)
}

/// An activity: its context, how many functions ran, and the executed lines.
type PlainActivity = (Option<u32>, u32, Vec<(u32, u32)>);

fn activity(file: &MeasuredFile) -> Vec<PlainActivity> {
    let ranges = |lines: &Lines| lines.ranges().map(|range| (*range.start(), *range.end())).collect();
    file.activity.iter().map(|one| (one.context, one.functions.count(), ranges(&one.lines))).collect()
}

#[test]
fn other_formats_are_refused_with_the_switch_of_their_tool() {
    for (text, part) in [
        (r#"{"data":[{"files":[]}],"type":"llvm.coverage.json.export","version":"2.0.1"}"#, "-format=lcov"),
        (r#"{"gcovr/format_version":"0.6","files":[{"file":"a.c","lines":[]}]}"#, "`gcovr --lcov`"),
        (
            r#"{"format_version":"2","gcc_version":"14.2","files":[{"file":"a.c","functions":[]}]}"#,
            "JSON of gcov: write `gcovr --lcov`",
        ),
        (r#"{"files":[{"file":"a.c"}],"data_file":"a.gcda","gcc_version":"9"}"#, "JSON of gcov: write `gcovr --lcov`"),
        (r#"{"files":[{"path":["/","a.rs"],"traces":[]}]}"#, "cargo-tarpaulin"),
        (r#"{"files":[{"file":"a.c"}],"gcovr/format_version":"0.6"}"#, "`gcovr --lcov`"),
        ("<?xml version='1.0'?><coverage clover='3.2.0'><project/></coverage>", "`lcov`"),
        ("<!DOCTYPE report PUBLIC '-//JACOCO//DTD Report 1.1//EN' 'report.dtd'><report name='x'/>", "not read yet"),
        ("SQLite format 3\0\u{10}", "`coverage json --show-contexts`"),
        (r#"{"result":[{"scriptId":"1","functions":[]}]}"#, "`c8 report --reporter=lcov`"),
        (r#"{"files":[{"path":["/","a.rs"],"traces":[]}]}"#, "`--out Lcov`"),
        ("<CoverageSession/>", "--format cobertura"),
        ("<coverage version='1'><file path='a.js'/></coverage>", "`lcov`"),
        ("adcg*42B", "`gcovr --lcov`"),
        ("        -:    0:Source:a.c\n", "`gcovr --lcov`"),
    ] {
        assert!(fault(text).message.contains(part), "{text}: {:?}", fault(text));
    }
    let profile = read(&b"\xfflprofr\x81\x08"[..], &[]).unwrap_err().message;
    assert!(profile.contains("`llvm-cov export -format=lcov`"), "{profile}");
    let unknown = "this is no coverage file of a format that is read; \
                   these are read: lcov, cobertura, coverage.py, istanbul, go";
    for text in ["[]", "<html/>", "<coverage/>", "DA:1,1\n", "modes\n", r#"{"meta":{}}"#, r#"{"files":{}}"#, "\0", "5"]
    {
        assert_eq!(fault(text).message, unknown, "{text}");
    }
    assert_eq!(
        fault(r#"{"a":{"path":"a"},"b":[{"statementMap":{}}],"c":"text","d":null,"e":1.5,"f":true}"#).message,
        unknown
    );
}

#[test]
fn hostile_documents_are_refused() {
    let bomb = "<!DOCTYPE l [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><coverage><packages/></coverage>";
    let outside = "<!DOCTYPE c [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><coverage><sources><source>&x;</source></sources></coverage>";
    for text in [bomb, outside] {
        assert_eq!(fault(text).message, "the document type declares entities, and none are read");
    }
    let entity = "<coverage><sources><source>&x;</source></sources><packages/></coverage>";
    assert!(fault(entity).message.contains("`x` is not declared"), "{:?}", fault(entity));
    let class =
        "<coverage><packages><package><classes><class filename='&x;'/></classes></package></packages></coverage>";
    assert!(fault(class).message.contains("no XML"), "{:?}", fault(class));
    let deep = format!("<coverage>{}", "<a>".repeat(64));
    assert_eq!(fault(deep).message, "the file is nested deeper than 64 elements");
    let deep = format!("{{\"a\":{}", "[".repeat(1_000_000));
    assert_eq!(fault(deep).message, "the file is nested deeper than 64 values");
    let key = format!("{{\"{}\":1}}", "k".repeat(65_537));
    assert_eq!(fault(key).message, "a key is longer than 64 KiB");
    let line = format!("TN:\nSF:{}\n", "a".repeat(65_537));
    assert_eq!(fault(line), CoverageFault::at(2, "the line is longer than 64 KiB"));
    let name = format!("TN:\nSF:{}\n", "a".repeat(4097));
    assert!(fault(name).message.starts_with("a name is longer than 4096 bytes: aaaa"));
}

#[test]
fn every_limit_of_size_is_said() {
    let many: String = (0..=MAX_FILES).map(|n| format!("SF:{n}\nend_of_record\n")).collect();
    assert_eq!(fault(many).message, "it names more than 200000 files");
    let endless = |begin: &'static [u8], unit: &'static [u8]| {
        let bytes = begin.chain(Endless(unit, 0));
        read(std::io::BufReader::with_capacity(1 << 20, bytes), &[]).unwrap_err().message
    };
    assert_eq!(endless(b"{\"a\":\"", b" "), "the file is larger than 64 MiB");
    assert_eq!(endless(b"<coverage><packages/>", b" "), "the file is larger than 64 MiB");
    // they are held beside 96 MiB of names: more would not stay below 128 MiB
    assert_eq!(endless(b"SF:a\n", b"FN:1,f\n"), "the record has more than 262144 functions");
    let contexts = endless(b"{\"meta\":{},\"a\":\"", b" ");
    assert!(
        contexts.starts_with("the file is larger than 64 MiB: ") && contexts.contains("--contexts=REGEX"),
        "{contexts}"
    );
}

#[test]
fn a_file_of_cobertura_in_another_encoding_is_refused() {
    let of =
        |encoding: &str| format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?><coverage><packages/></coverage>");
    assert!(fault(of("latin1")).message.contains("UTF-8"), "{}", fault(of("latin1")).message);
    assert!(parsed(of("utf-8")).files.is_empty());
}

#[test]
fn names_and_sources_of_cobertura_have_one_limit_together() {
    let of = |files: usize| {
        let classes: String = (0..files).map(|at| format!("<class filename=\"{at}\"/>")).collect();
        let sources = "<source>/b</source>".repeat(64);
        format!(
            "<coverage><sources>{sources}</sources><packages><package><classes>{classes}</classes></package></packages></coverage>"
        )
    };
    assert_eq!(parsed(of(1 << 16)).files.len(), 1 << 16);
    let said = fault(of((1 << 16) + 1)).message;
    assert_eq!(said, "it names 65537 files and 64 sources: write fewer sources");
}

#[test]
fn a_file_of_cobertura_has_64_sources_at_most() {
    let of = |count: usize| {
        format!(
            "<coverage><sources>{}</sources><packages/></coverage>",
            "<source>/b</source><source/>".repeat(count / 2)
        )
    };
    assert_eq!(parsed(of(64)).sources.len(), 64);
    assert_eq!(fault(of(66)), CoverageFault::at(1, "it has more than 64 sources"));
}

#[test]
fn the_limit_of_memory_is_one_for_all_files() {
    let long = "n".repeat(4_000);
    let of =
        |part: &str, count: usize| -> String { (0..count).map(|n| part.replace('#', &format!("{long}{n}"))).collect() };
    let names = of("SF:#\nend_of_record\n", 6_000);
    let one = parsed(&names);
    let two = [one.clone(), one];
    assert!(read(names.as_bytes(), &two[..1]).is_ok());
    let refused = |before: &[Coverage]| {
        read(of("SF:#\nend_of_record\n", 14_000).as_bytes(), before).map(drop).unwrap_err().message
    };
    let most = "the names and lines of all coverage files take more than 72 MiB of memory";
    assert!(refused(&two).starts_with(most), "{}", refused(&two));
    // an import takes three copies of a context, and some places of each in maps
    assert!(read(of("TN:#\n", 6_000).as_bytes(), &[]).is_ok());
    for contexts in [of("TN:#\n", 9_000), (0..260_000).map(|n| format!("TN:{n}\n")).collect()] {
        let refused = read(contexts.as_bytes(), &[]).map(drop).unwrap_err().message;
        assert!(refused.starts_with(most), "{refused}");
    }
}

/// The same bytes without end.
struct Endless(&'static [u8], usize);

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        for slot in buffer.iter_mut() {
            *slot = self.0[self.1];
            self.1 = (self.1 + 1) % self.0.len();
        }
        Ok(buffer.len())
    }
}

#[test]
fn a_set_of_lines_is_found_by_its_ranges() {
    let lines = &parsed("SF:a\nDA:1,1\nDA:2,1\nDA:300,1\nDA:4294967295,1\nend_of_record\n").files[0].activity[0].lines;
    assert_eq!((lines.count(), lines.is_empty()), (4, false));
    let met = [(1..=1, true), (3..=299, false), (2..=300, true), (300..=300, true), (301..=u32::MAX, true)];
    for (range, expected) in met {
        assert_eq!(lines.meet(range.clone()), expected, "{range:?}");
    }
}

#[test]
fn a_file_of_an_empty_run_names_no_file() {
    for text in ["", "\n", "\u{feff}", "{}", " {\r\n}\n"] {
        assert_eq!(fault(text).message, refusal::EMPTY, "{text:?}");
    }
    assert_eq!(fault("{\"a\":1}").message, refusal::unknown());
}

#[test]
fn a_counter_without_a_function_is_a_function_that_ran() {
    let text = r#"{"a":{"path":"a","statementMap":{"0":{"start":{"line":1}}},"s":{"0":1},"f":{"0":1}}}"#;
    let file = &read(text.as_bytes(), &[]).expect("a report").files[0];
    assert_eq!((functions(file), file.activity[0].functions.count()), (Some(1), 1));
}
