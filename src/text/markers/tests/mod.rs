mod oracle;

use super::value::Quantity;
use super::*;
use proptest::prelude::*;

fn read(bytes: &[u8]) -> Shown {
    let mut reader = MarkerReader::default();
    reader.take(bytes);
    reader.finish()
}

fn metrics(text: &str) -> Vec<(String, String, Option<String>)> {
    let Shown { marked, .. } = read(text.as_bytes());
    let of = |(name, value): (&String, &Finite)| (name.clone(), value.to_string(), marked.units.get(name).cloned());
    marked.metrics.iter().map(of).collect()
}

/// The value and the unit of `x`, which is the only metric.
fn x(text: &str) -> Option<(String, Option<String>)> {
    let found = metrics(text);
    assert!(found.iter().all(|(name, ..)| name == "x") && found.len() <= 1, "{found:?}");
    found.into_iter().next().map(|(_, value, unit)| (value, unit))
}

fn plain(value: &str) -> Option<(String, Option<String>)> {
    Some((value.to_owned(), None))
}

fn with_unit(value: &str, unit: &str) -> Option<(String, Option<String>)> {
    Some((value.to_owned(), Some(unit.to_owned())))
}

fn names(text: &str) -> Vec<String> {
    read(text.as_bytes()).marked.markers.iter().map(MarkerName::to_string).collect()
}

fn findings(text: &str) -> [u64; 5] {
    let counts = read(text.as_bytes()).marked.findings;
    assert!(counts.is_possible(), "{counts:?}");
    [counts.total, counts.verified, counts.shared, counts.without_ci, counts.without_effect]
}

#[test]
fn a_metric_is_the_number_behind_its_marker() {
    assert_eq!(x("[METRIC:x] 0.92\n"), plain("0.92"));
    assert_eq!(x("[METRIC:x] 0.92"), plain("0.92"));
    assert_eq!(x("[METRIC:x]0.92"), plain("0.92"));
    assert_eq!(x("  \t[METRIC:x]\t0.92  "), plain("0.92"));
    assert_eq!(x("\u{feff}[METRIC:x] 0.92"), plain("0.92"));
}

/// The metrics and the findings of several texts of one measurement.
fn of_texts(texts: &[&str]) -> Shown {
    let mut reader = MarkerReader::default();
    for text in texts {
        reader.next_text();
        reader.take(text.as_bytes());
    }
    reader.finish()
}

#[test]
fn no_line_and_no_finding_reaches_from_one_text_into_the_next() {
    for (texts, value) in [
        (["[METRIC:x] 0.9", "5\n"], "0.9"),
        (["[METRIC:x] 0.5\n", "\u{feff}[METRIC:x] 0.7"], "0.7"),
        (["[METRIC:x] 0.5\nwords [", "METRIC:x] 0.7\n"], "0.5"),
    ] {
        let shown = of_texts(&texts);
        assert_eq!(shown.marked.metrics["x"].to_string(), value, "{texts:?}");
        assert!(shown.malformed.is_empty());
    }
    let pair = "[STAT:ci] 1\n[STAT:effect_size] 1\n";
    let apart = of_texts(&[pair, "[FINDING] f\n"]).marked.findings;
    assert_eq!((apart.total, apart.verified, apart.without_ci, apart.without_effect), (1, 0, 1, 1));
    assert_eq!(of_texts(&[&format!("{pair}[FINDING] f"), &format!("{pair}[FINDING] g")]).marked.findings.shared, 0);
    assert_eq!(of_texts(&["words\n", "\u{feff}[METRIC:x] 1\n\u{ff}"]).malformed_lines, 0);
}

#[test]
fn a_number_may_stand_behind_equals() {
    for text in ["= 0.95", "=0.95", "value = 0.95", "value=0.95", "  value  =  0.95"] {
        assert_eq!(x(&format!("[METRIC:x] {text}")), plain("0.95"), "{text}");
    }
    for text in ["== 0.95", "value 0.95", "values = 0.95", "value: 0.95", "x = 0.95", "= value = 0.95", ": 0.95"] {
        assert_eq!(x(&format!("[METRIC:x] {text}")), None, "{text}");
    }
}

#[test]
fn signs_points_and_exponents_belong_to_a_number() {
    for (text, value) in [
        ("-0.5", "-0.5"),
        ("+0.9", "0.9"),
        (".95", "0.95"),
        ("1e-5", "0.00001"),
        ("1.5e-3", "0.0015"),
        ("2.2e-16", "2.2e-16"),
        ("1E+06", "1000000"),
        ("5.", "5"),
        ("0", "0"),
    ] {
        assert_eq!(x(&format!("[METRIC:x] {text}")), plain(value), "{text}");
    }
}

#[test]
fn what_is_more_than_a_number_and_a_unit_is_malformed_and_never_the_first_digits() {
    for text in [
        "",
        "1_000",
        "1,234",
        "0x10",
        "0.9 0.8",
        "0.92 (+/- 0.01)",
        "0.92 \u{b1} 0.01",
        "12 m s",
        "12 m2",
        "0.92.",
        "1.2.3",
        "about 0.9",
        "True",
        "nano",
        "naan",
        "1/2 3",
        "[0.9]",
        "\"0.9\"",
        "<0.001",
        "--1",
        "1e",
        "1e+ 5",
        "\u{661}",
        "12 ms.",
        "np.float64(0.92)",
        "0.92f0",
    ] {
        let read = read(format!("[METRIC:x] {text}\n").as_bytes());
        // a letter alone is a unit
        let expected = if text == "1e" { 1 } else { 0 };
        assert_eq!(read.marked.metrics.len(), expected, "{text}");
        assert_eq!(read.malformed_lines, 1 - expected as u64, "{text}: {:?}", read.malformed);
    }
}

#[test]
fn a_unit_is_behind_the_number_or_in_the_marker() {
    for (text, unit) in [
        ("[METRIC:x:unit=ms] 12", "ms"),
        ("[METRIC:x] 12 ms", "ms"),
        ("[METRIC:x] 12ms", "ms"),
        ("[METRIC:x:unit=ms] 12 ms", "ms"),
        ("[METRIC:unit=ms:x] 12", "ms"),
        ("[METRIC: x : unit = ms : fold=3 ] 12", "ms"),
        ("[METRIC:x] 12%", "%"),
        ("[METRIC:x] = 12 MB/s", "MB/s"),
        ("[METRIC:x] 12 \u{b0}C", "\u{b0}C"),
    ] {
        assert_eq!(x(text), with_unit("12", unit), "{text}");
    }
    assert_eq!(x("[METRIC:x] 85%"), with_unit("85", "%"));
    for text in ["[METRIC:x:unit=ms] 12 s", "[METRIC:x:unit=m s] 12", "[METRIC:x:unit=] 12"] {
        assert_eq!(x(text), None, "{text}");
        assert_eq!(read(text.as_bytes()).malformed_lines, 1, "{text}");
    }
}

#[test]
fn a_number_is_never_found_across_lines() {
    for text in ["[METRIC:x]\n0.92\n", "[METRIC:x\n] 0.92", "[METRIC:x] \r\n0.92", "[METRIC:x]\u{85}\n0.92"] {
        assert_eq!(x(text), None, "{text:?}");
    }
    // these characters end no line of a file
    assert_eq!(x("[METRIC:x] 0.5\u{2028}[METRIC:x] 0.9"), None);
    assert_eq!(x("text\u{2028}[METRIC:x] 0.9"), None);
    assert_eq!(x("text\r[METRIC:x] 0.9"), None);
}

#[test]
fn of_two_lines_the_last_one_counts_also_where_it_says_nothing() {
    assert_eq!(x("[METRIC:x] 1\n[METRIC:x] 2\n"), plain("2"));
    assert_eq!(x("[METRIC:x] 1 ms\n[METRIC:X] 2\n"), plain("2"));
    for last in ["nan", "1,234", "", "inf"] {
        let text = format!("[METRIC:x] 1\n[METRIC:x] {last}\n");
        assert_eq!(x(&text), None, "{last}");
        let absent = read(text.as_bytes()).absent;
        let is_malformed = matches!(last, "1,234" | "");
        assert_eq!((absent.len(), absent["x"].line, absent["x"].malformed.is_some()), (1, 2, is_malformed), "{last}");
        assert_eq!(x(&format!("{text}[METRIC:x] 3\n")), plain("3"), "{last}");
    }
}

#[test]
fn a_marker_in_the_middle_of_a_line_is_text() {
    for text in [
        "echo '[METRIC:x] 0.99'",
        "print(\"[METRIC:x] 0.99\")",
        "> [METRIC:x] 0.99",
        "[1] \"[METRIC:x] 0.99\"",
        "+ [METRIC:x] 0.99",
        "tests/test_a.py [METRIC:x] 0.99",
        "[[METRIC:x] 0.99",
        "\u{a0}[METRIC:x] 0.99",
        "\u{200b}[METRIC:x] 0.99",
    ] {
        assert_eq!((x(text), names(text)), (None, vec![]), "{text}");
    }
}

#[test]
fn nan_and_infinity_are_no_values_and_no_faults() {
    for text in
        ["nan", "NaN", "-nan", "NA", "inf", "-inf", "Inf", "Infinity", "+INFINITY", "nan%", "nan ms", "= NaN", "1e999"]
    {
        let read = read(format!("[METRIC:x] {text}").as_bytes());
        assert_eq!((read.marked.metrics.len(), read.malformed_lines), (0, 0), "{text}");
        assert_eq!(
            read.absent,
            BTreeMap::from([("x".to_owned(), AbsentMetric { line: 1, malformed: None })]),
            "{text}"
        );
    }
}

#[test]
fn names_are_spelled_one_way() {
    assert_eq!(metrics("[METRIC:CV-Accuracy-mean] 1")[0].0, "cv_accuracy_mean");
    assert_eq!(
        names("[METRIC:F1-Score] 1\n[NEXT-STEP] a\n[STAT:P-Value] 1"),
        ["METRIC:f1_score", "NEXT_STEP", "STAT:p_value"]
    );
    assert_eq!(names("[STAT:CI]\n[STAT:ci:level=95]\n[STAT:level=95:ci]"), ["STAT:ci"]);
    assert_eq!(names("[METRIC:x_y] 1"), ["METRIC:x_y"]);
    assert_eq!(names("[STAT:ci:other]\n[OBJECTIVE:] a\n[DATA: :b]"), ["DATA:b", "OBJECTIVE", "STAT:ci"]);
}

#[test]
fn what_is_not_formed_like_a_marker_is_text() {
    for text in [
        "[metric:x] 1",
        "[Metric:x] 1",
        "[_X] 1",
        "[1X] 1",
        "[] 1",
        "[X Y] 1",
        "[X",
        "[X:",
        "[X:y",
        "[X\u{e9}] 1",
        "X] 1",
        "[X.Y] 1",
        "[ X] 1",
        "[X ] 1",
        "[ 12%] building",
        "[2026-01-01 10:00:00] x",
        "[====>   ]",
        "[[1]]",
    ] {
        let read = read(text.as_bytes());
        assert_eq!(read, Shown::default(), "{text}");
    }
}

#[test]
fn what_a_marker_cannot_be_called_is_said() {
    for text in ["[METRIC] 0.9", "[METRIC:] 0.9", "[METRIC:unit=ms] 0.9", "[METRIC:a[0]] 0.9", "[STAT:a\u{202e}b] 1"] {
        let read = read(text.as_bytes());
        assert_eq!((read.malformed_lines, read.marked.markers.len()), (1, 0), "{text}");
    }
    assert_eq!(read(b"[X:\xff] a").malformed_lines, 1);
    assert_eq!(read(b"[METRIC:x] \xff0.9").malformed_lines, 1);
    assert_eq!(read(format!("[X:{}]", "y".repeat(129)).as_bytes()).malformed_lines, 1);
}

#[test]
fn line_ends_of_both_kinds_end_a_line() {
    let text = "[STAT:ci] a\r\n[STAT:effect_size] b\r\n[FINDING] one\r\n[FINDING] two\r\n\r\n[FINDING] three\r\n";
    assert_eq!(findings(text), [3, 3, 3, 0, 0]);
    assert_eq!(x("[METRIC:x] 0.92\r\n"), plain("0.92"));
    assert_eq!(x("[METRIC:x] 0.92 ms\r"), with_unit("0.92", "ms"));
}

#[test]
fn colours_do_not_hide_a_marker() {
    for text in [
        "\x1b[32m[METRIC:x]\x1b[0m 0.92",
        "\x1b[1m[METRIC:\x1b[4mx]\x1b[0m \x1b[32m0.\x1b[1m92\x1b[0m\x1b[K",
        "  \x1b]8;;file:///x\x07[METRIC:x] 0.92\x1b]8;;\x07",
        "\u{9b}32m[METRIC:x] 0.92",
        "\x1b[2K\x1b[1G[METRIC:x] 0.92\r",
    ] {
        assert_eq!(x(text), plain("0.92"), "{text:?}");
    }
    assert_eq!(x("text \x1b[32m[METRIC:x] 0.92"), None);
}

#[test]
fn a_finding_is_verified_by_an_interval_and_an_effect_size_before_it() {
    assert_eq!(findings("[FINDING] bare"), [1, 0, 0, 1, 1]);
    assert_eq!(findings("[STAT:ci] a\n[FINDING] b"), [1, 0, 0, 0, 1]);
    assert_eq!(findings("[STAT:effect-size] a\n[FINDING] b"), [1, 0, 0, 1, 0]);
    assert_eq!(findings("[STAT:CI:level=95] a\n[STAT:effect_size] d\n[FINDING:key] b"), [1, 1, 0, 0, 0]);
    assert_eq!(findings("[FINDING] b\n[STAT:ci] a\n[STAT:effect_size] d\n"), [1, 0, 0, 1, 1]);
    let pair = "[STAT:ci] a\n[STAT:effect_size] d\n[FINDING] f\n";
    assert_eq!(findings(&format!("[FINDING] bare\n{pair}{pair}")), [3, 2, 0, 1, 1]);
    assert_eq!(findings(&format!("{pair}{}[FINDING] bare\n{pair}", "\n".repeat(10))), [3, 2, 0, 1, 1]);
}

#[test]
fn statistics_reach_ten_lines_down_and_no_further() {
    let at = |between: usize| format!("[STAT:effect_size] d\n[STAT:ci] a\n{}[FINDING] f", "text\n".repeat(between));
    assert_eq!(findings(&at(8)), [1, 1, 0, 0, 0]);
    assert_eq!(findings(&at(9)), [1, 0, 0, 0, 1]);
    assert_eq!(findings(&at(10)), [1, 0, 0, 1, 1]);
}

#[test]
fn one_pair_may_serve_several_findings_and_they_are_counted() {
    let pair = "[STAT:ci] a\n[STAT:effect_size] d\n";
    assert_eq!(findings(&format!("{pair}{}", "[FINDING] f\n".repeat(5))), [5, 5, 5, 0, 0]);
    assert_eq!(findings(&format!("{pair}[FINDING] f\n[STAT:ci] b\n[FINDING] g\n")), [2, 2, 0, 0, 0]);
    assert_eq!(findings(&format!("{pair}[FINDING] f\n{pair}{}", "[FINDING] f\n".repeat(2))), [3, 3, 2, 0, 0]);
}

#[test]
fn a_line_without_an_end_is_bounded_and_says_no_number() {
    let long = format!("[METRIC:x] 0.92{}\n[METRIC:y] 1\n", " ".repeat(1 << 20));
    let read = read(long.as_bytes());
    assert_eq!(read.marked.metrics.keys().collect::<Vec<_>>(), ["y"]);
    assert!(read.malformed[0].message.contains("longer than 65536 bytes"), "{:?}", read.malformed);
    let finding = format!("[FINDING] {}\n[FINDING] b", "x".repeat(1 << 20));
    assert_eq!(findings(&finding), [2, 0, 0, 2, 2]);
    assert_eq!(names(&format!("[X:{}]", "y".repeat(1 << 20))), [""; 0]);
}

#[test]
fn a_line_of_a_gigabyte_takes_no_more_room_than_a_short_one() {
    let mut reader = MarkerReader::default();
    reader.take(b"[METRIC:x] 1\n[FINDING] ");
    let piece = vec![b'x'; 1 << 20];
    (0..1024).for_each(|_| reader.take(&piece));
    assert!(reader.room() <= 128 << 10, "{}", reader.room());
    reader.take(b"\n[METRIC:y] 2");
    let Shown { marked, malformed, .. } = reader.finish();
    assert_eq!((marked.metrics.len(), marked.findings.total, malformed.len()), (2, 1, 0));
}

#[test]
fn however_many_different_markers_there_are_they_take_the_room_of_some_thousand() {
    let mut reader = MarkerReader::default();
    for n in 0..200_000 {
        reader.take(format!("[METRIC:m{n}] {n}\n[METRIC:n{n}] x\n").as_bytes());
    }
    let Shown { marked, absent, malformed, malformed_lines, .. } = reader.finish();
    assert_eq!((marked.metrics.len() + absent.len(), marked.markers.len()), (MAX_TOLD, MAX_TOLD));
    assert_eq!((malformed.len(), malformed_lines), (20, 2048));
}

#[test]
fn a_text_in_utf_16_is_said_to_be_one() {
    let text: Vec<u8> = "\u{feff}[METRIC:x] 0.9\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let read = read(&text);
    assert_eq!(read.malformed.len(), 1);
    assert!(read.malformed[0].message.contains("UTF-16"));
}

/// A line, or a part of one, of every relevant kind.
fn piece() -> impl Strategy<Value = String> {
    let head = "(|  |\t|x)(\x1b\\[[0-9;]{0,3}m|)\\[(METRIC|STAT|FINDING|OBJECTIVE|Metric)";
    let attributes =
        "(|:| ?:x|:y-Z|:ci|:CI|:effect[-_]size|:unit=ms|:level=95|:[a-b =:]{0,4})(|:unit=%|:q)(\\]|\\]|\\]|)";
    let content =
        "( |)(|= |value = |0.5|-1e-3|.5|1_0|nan|inf |12 ms|12%|7 m s|1,2|\\[FINDING\\]|\u{2028}|\u{e9})(|\x1b\\[0m| )";
    let end = "(\n|\n|\n|\r\n|\r|\n\n\n\n\n|)";
    prop_oneof![
        5 => (head, attributes, content, end).prop_map(|(head, attributes, content, end)| head + &attributes + &content + &end),
        2 => Just("[STAT:ci] a\n".to_owned()),
        2 => Just("[STAT:effect_size] a\n".to_owned()),
        2 => Just("[FINDING] a\n".to_owned()),
        1 => "[\\[\\]A-Z:= \n\r\t\u{1b}\u{85}\u{9b}\u{9d}\u{9c}\u{7}a-c0-9.+%-]{0,12}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn it_reads_what_a_slow_and_obvious_reader_reads(pieces in proptest::collection::vec(piece(), 0..24), cut: prop::sample::Index) {
        let text = pieces.concat().into_bytes();
        let whole = read(&text);
        prop_assert_eq!(&whole, &oracle::read(&text));
        let mut reader = MarkerReader::default();
        let (first, second) = text.split_at(cut.index(text.len() + 1));
        reader.take(first);
        second.iter().for_each(|byte| reader.take(&[*byte]));
        prop_assert_eq!(reader.finish(), whole);
    }

    #[test]
    fn any_bytes_are_read(bytes: Vec<u8>) {
        let read = read(&bytes);
        prop_assert_eq!(&read, &oracle::read(&bytes));
        prop_assert!(read.marked.findings.is_possible());
    }
}

/// Printed output of real programs: each file of tests/data/transcripts against its row in `expected.json`.
#[test]
fn numbers_are_read_as_python_r_julia_scikit_learn_and_pytest_print_them() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts");
    let expected: serde_json::Value =
        serde_json::from_slice(&std::fs::read(dir.join("expected.json")).unwrap()).unwrap();
    let rows = expected.as_object().unwrap();
    for (name, row) in rows {
        let Shown { marked, absent, malformed, .. } = read(&std::fs::read(dir.join(format!("{name}.txt"))).unwrap());
        let metrics: BTreeMap<&String, (f64, Option<&String>)> =
            marked.metrics.iter().map(|(name, value)| (name, (value.get(), marked.units.get(name)))).collect();
        let expected: BTreeMap<String, (f64, Option<String>)> = serde_json::from_value(row["metrics"].clone()).unwrap();
        let expected = expected.iter().map(|(name, (value, unit))| (name, (*value, unit.as_ref()))).collect();
        assert_eq!(metrics, expected, "{name}");
        assert_eq!(serde_json::json!(absent.keys().collect::<Vec<_>>()), row["absent"], "{name}");
        let lines: Vec<_> = malformed.iter().map(|line| line.line).collect();
        assert_eq!(serde_json::json!(lines), row["malformed"], "{name}: {malformed:?}");
        let FindingCounts { total, verified, shared, without_ci, without_effect } = marked.findings;
        let counts = serde_json::json!([total, verified, shared, without_ci, without_effect]);
        assert_eq!(counts, row["findings"], "{name}");
    }
    let files = std::fs::read_dir(&dir).unwrap().filter_map(Result::ok);
    let files = files.filter(|file| file.path().extension().is_some_and(|extension| extension == "txt")).count();
    assert_eq!(files, rows.len(), "every file has its row");
}
