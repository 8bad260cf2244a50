//! One random run, written in every format, is the same coverage; a file that is cut anywhere is a fault or nothing less.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Files by name; of each the functions by first line, and in each how often its two lines ran.
type Model = BTreeMap<String, BTreeMap<u32, [u8; 2]>>;

fn model() -> impl Strategy<Value = Model> {
    let functions =
        prop::collection::btree_map((0..40_u32).prop_map(|n| n * 5 + 1), prop::array::uniform2(0..3_u8), 1..6);
    prop::collection::btree_map("[a-z]{1,3}( [a-z]|/é|&|<|\\\\b|\"|\u{1b}|:1\\.1){0,2}", functions, 0..5)
}

/// The lines of a function that begins on `start`, with their counts.
fn body(start: u32, counts: [u8; 2]) -> [(u32, u8); 2] {
    [(start + 1, counts[0]), (start + 2, counts[1])]
}

fn has_run(counts: [u8; 2]) -> bool {
    counts != [0, 0]
}

fn lcov(model: &Model) -> String {
    let mut text = String::from("TN:\n");
    for (name, functions) in model {
        writeln!(text, "SF:{name}").unwrap();
        for (start, counts) in functions {
            writeln!(text, "FN:{start},f{start}\nFNDA:{},f{start}", u8::from(has_run(*counts))).unwrap();
            for (line, count) in body(*start, *counts) {
                writeln!(text, "DA:{line},{count}").unwrap();
            }
        }
        text.push_str("end_of_record\n");
    }
    text
}

fn cobertura(model: &Model) -> String {
    let mut text = String::from("<coverage><packages><package><classes>");
    for (name, functions) in model {
        let name = name.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let mut lines = String::new();
        write!(text, "<class filename=\"{name}\"><methods>").unwrap();
        for (start, counts) in functions {
            let own: String = body(*start, *counts)
                .map(|(line, count)| format!("<line number=\"{line}\" hits=\"{count}\"/>"))
                .concat();
            write!(text, "<method name=\"f\"><lines>{own}</lines></method>").unwrap();
            lines += &own;
        }
        write!(text, "</methods><lines>{lines}</lines></class>").unwrap();
    }
    text + "</classes></package></packages></coverage>"
}

fn coverage_py(model: &Model) -> String {
    let split = |lines: &[(u32, u8)]| {
        let (ran, missing): (Vec<_>, Vec<_>) = lines.iter().partition(|(_, count)| *count > 0);
        let numbers = |lines: Vec<(u32, u8)>| lines.into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        (numbers(ran), numbers(missing))
    };
    let files: serde_json::Map<_, _> = model
        .iter()
        .map(|(name, functions)| {
            let all: Vec<_> = functions.iter().flat_map(|(start, counts)| body(*start, *counts)).collect();
            let (ran, missing) = split(&all);
            let own: serde_json::Map<_, _> = functions
                .iter()
                .map(|(start, counts)| {
                    let (ran, missing) = split(&body(*start, *counts));
                    let value = serde_json::json!({"executed_lines": ran, "missing_lines": missing, "start_line": start});
                    (format!("f{start}"), value)
                })
                .collect();
            let contexts: serde_json::Map<_, _> =
                ran.iter().map(|line| (line.to_string(), serde_json::json!(["", "t"]))).collect();
            let value = serde_json::json!({"contexts": contexts, "executed_lines": ran, "missing_lines": missing, "functions": own});
            (name.clone(), value)
        })
        .collect();
    serde_json::json!({"files": files, "meta": {"format": 3}}).to_string()
}

fn istanbul(model: &Model) -> String {
    let files: serde_json::Map<_, _> = model
        .iter()
        .map(|(name, functions)| {
            let (mut statements, mut hits) = (serde_json::Map::new(), serde_json::Map::new());
            let (mut places, mut calls) = (serde_json::Map::new(), serde_json::Map::new());
            for (start, counts) in functions {
                let key = places.len().to_string();
                places.insert(key.clone(), serde_json::json!({"decl": {"start": {"line": start}}}));
                calls.insert(key, u8::from(has_run(*counts)).into());
                for (line, count) in body(*start, *counts) {
                    let key = statements.len().to_string();
                    statements.insert(key.clone(), serde_json::json!({"start": {"line": line}}));
                    hits.insert(key, count.into());
                }
            }
            let value =
                serde_json::json!({"path": name, "statementMap": statements, "fnMap": places, "s": hits, "f": calls});
            (name.clone(), value)
        })
        .collect();
    serde_json::Value::Object(files).to_string()
}

fn go(model: &Model) -> String {
    let mut text = String::from("mode: count\n");
    for (name, functions) in model {
        for (line, count) in functions.iter().flat_map(|(start, counts)| body(*start, *counts)) {
            writeln!(text, "{name}:{line}.2,{line}.9 1 {count}").unwrap();
        }
    }
    text
}

/// What the model says, without contexts.
fn expected(format: Format, model: &Model) -> Coverage {
    let file = |(name, functions): (&String, &BTreeMap<u32, [u8; 2]>)| {
        let counters = format != Format::Go;
        let mut lines = lines::LineSet::default();
        for (line, count) in functions.iter().flat_map(|(start, counts)| body(*start, *counts)) {
            if count > 0 {
                lines.add(line, line);
            }
        }
        let starts = |only_ran: bool| {
            let mut set = lines::LineSet::default();
            let own = functions.iter().filter(|(_, counts)| !only_ran || counters && has_run(**counts));
            // shifted by one, as a set of lines has no line 0; a method of Cobertura begins with its first statement
            let shift = if format == Format::Cobertura { 2 } else { 1 };
            own.for_each(|(start, _)| set.add(start + shift, start + shift));
            set.take()
        };
        MeasuredFile {
            name: name.clone(),
            functions: counters.then(|| starts(false)),
            statements: true,
            activity: vec![Activity { context: None, functions: starts(true), lines: lines.take() }],
        }
    };
    Coverage { format, sources: Vec::new(), contexts: Vec::new(), files: model.iter().map(file).collect() }
}

/// The context of the model is the whole run again.
fn without_contexts(mut coverage: Coverage) -> Coverage {
    for file in &mut coverage.files {
        for own in file.activity.split_off(1) {
            assert_eq!((&own.functions, &own.lines), (&file.activity[0].functions, &file.activity[0].lines));
        }
    }
    coverage.contexts.clear();
    coverage
}

fn written(format: Format, model: &Model) -> String {
    match format {
        Format::Lcov => lcov(model),
        Format::Cobertura => cobertura(model),
        Format::CoveragePy => coverage_py(model),
        Format::Istanbul => istanbul(model),
        Format::Go => go(model),
    }
}

fn is_written_in(format: Format, model: &Model) -> bool {
    match format {
        // an empty object is no report, and XML has no ESC
        Format::Istanbul => !model.is_empty(),
        Format::Cobertura => !model.keys().any(|name| name.contains('\u{1b}')),
        _ => true,
    }
}

proptest! {
    #[test]
    fn one_run_is_the_same_coverage_in_every_format(model in model()) {
        for format in Format::ALL.into_iter().filter(|format| is_written_in(*format, &model)) {
            let coverage = parsed(written(format, &model));
            prop_assert_eq!(without_contexts(coverage), expected(format, &model));
        }
    }

    #[test]
    fn a_report_in_two_halves_is_the_whole_report(model in model(), cut in 0..5_usize) {
        let half = |first: bool| model.iter().enumerate().filter(|(at, _)| (*at < cut) == first).map(|(_, (name, functions))| (name.clone(), functions.clone())).collect::<Model>();
        for format in [Format::Lcov, Format::Go] {
            let both = written(format, &half(true)) + &written(format, &half(false));
            prop_assert_eq!(parsed(both), expected(format, &model));
            let twice = written(format, &model) + &written(format, &model);
            prop_assert_eq!(parsed(twice), expected(format, &model));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(TN:|SF:a\n|DA:1,1\n|end_of_record\n|FN:1,f\n|FNDA:1,f\n|mode: set\n|a.go:1.1,2.2 1 1\n|<coverage>|<packages>|\\{\"meta\":\\{\\},\"files\":|\\{\"a\":\\{\"path\":|.){0,30}") {
        if let Ok(coverage) = read(text.as_bytes(), &[]) {
            prop_assert!(coverage.files.len() <= text.len());
        }
    }
}

proptest! {
    // every cut of every format is read
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_cut_file_is_a_fault_where_the_format_shows_it(model in model()) {
        for format in Format::ALL.into_iter().filter(|format| is_written_in(*format, &model)) {
            let text = written(format, &model);
            for cut in 0..text.len() {
                let Ok(coverage) = read(&text.as_bytes()[..cut], &[]) else { continue };
                // a tracefile may end after any record, and a profile after any line
                let end = &text.as_bytes()[..cut];
                let shows_nothing = match format {
                    Format::Lcov => end.ends_with(b"end_of_record") || end.ends_with(b"end_of_record\n") || end.iter().all(|byte| b"TN:\n".contains(byte)),
                    Format::Go => end.ends_with(b"\n"),
                    _ => false,
                };
                prop_assert!(shows_nothing, "{format:?} cut at {cut}: {coverage:?}\n{text}");
            }
        }
    }
}
