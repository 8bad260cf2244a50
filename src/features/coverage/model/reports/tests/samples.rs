//! Each format as its tools write it.

use super::*;

#[test]
fn a_tracefile_has_functions_lines_and_tests() {
    let text = "TN:first_test\nSF:js/cart.mjs\nVER:1\nFN:3,Cart\nFN:4,6,add\nFNF:2\nFNH:1\nFNDA:1,Cart\nFNDA:0,add\nDA:1,1\n\
                DA:3,2,abc\nDA:4,0\nBRDA:1,0,0,-\nLF:3\nLH:2\nend_of_record\n# a comment\nTN:second_test\nSF:js/cart.mjs\n\
                FN:3,Cart\nFN:4,add\nFNDA:0,Cart\nFNDA:5,add\nDA:4,5\nend_of_record\nTN:\nSF:idle.mjs\n\
                FN:1,(empty-report)\nFNDA:0,(empty-report)\nDA:1,0\nend_of_record\nSF:none.mjs\nend_of_record\n";
    let coverage = parsed(text);
    assert_eq!(coverage.contexts, ["first_test", "second_test"]);
    let cart = &coverage.files[0];
    assert_eq!((cart.name.as_str(), functions(cart), cart.statements), ("js/cart.mjs", Some(2), true));
    let expected = [(None, 2, vec![(1, 1), (3, 4)]), (Some(0), 1, vec![(1, 1), (3, 3)]), (Some(1), 1, vec![(4, 4)])];
    assert_eq!(activity(cart), expected);
    assert_eq!((functions(&coverage.files[1]), activity(&coverage.files[1])), (Some(1), vec![(None, 0, vec![])]));
    assert_eq!((functions(&coverage.files[2]), coverage.files[2].statements), (None, false));
    assert_eq!(parsed(text.replace('\n', "\r\n")), coverage);
    assert_eq!(parsed(format!("\u{feff}\n{text}")), coverage);
}

#[test]
fn functions_of_lcov_2_have_numbers_and_aliases() {
    let text =
        "SF:a.cc\nFNL:0,3,7\nFNA:0,0,one<int>\nFNA:0,2,one<char>\nFNL:1,9\nFNA:1,0,f(a, b)\nDA:3,2\nend_of_record\n";
    assert_eq!((functions(&parsed(text).files[0]), activity(&parsed(text).files[0])[0].1), (Some(2), 1));
}

#[test]
fn two_functions_with_one_name_are_counted_in_their_order() {
    let of =
        |counts: &str| activity(&parsed(format!("SF:a\nFN:3,new\nFN:9,new\n{counts}end_of_record\n")).files[0])[0].1;
    assert_eq!(of("FNDA:0,new\nFNDA:1,new\n"), 1);
    assert_eq!(of("FNDA:2,new\nFNDA:1,new\n"), 2);
    assert_eq!(of("FNDA:0,new\n"), 0);
    // a function without a place is a function
    assert_eq!(of("FNDA:1,other\n"), 1);
}

#[test]
fn a_line_that_stands_wrong_in_a_tracefile_is_a_fault_with_its_place() {
    for (text, line) in [
        ("TN:\nDA:1,1\n", 2),
        ("SF:a\nDA:x,1\nend_of_record\n", 2),
        ("SF:a\nDA:1\nend_of_record\n", 2),
        ("SF:a\nSF:b\nend_of_record\n", 2),
        ("SF:a\nlower:1\nend_of_record\n", 2),
        ("SF:a\nFNDA:1\nend_of_record\n", 2),
        ("SF:a\nend_of_record\n<html>\n", 3),
        ("TN:\nSF:\n", 2),
    ] {
        assert_eq!(fault(text).line, Some(line), "{text}");
    }
    assert_eq!(fault("SF:a\nDA:1,1\n").message, "the file ends inside a record: `end_of_record` is missing");
}

#[test]
fn cobertura_has_sources_classes_and_methods() {
    let text = r#"<?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
        <coverage version="1"><!-- by a tool --><sources>
          <source>/build/shop/src</source><source>C:\shop &amp; more</source></sources>
        <packages><package name="shop"><classes>
          <class name="a" filename="shop/cart.py"><methods>
            <method name="one"><lines><line number="4" hits="0"/><line number="3" hits="1"/></lines></method>
            <method name="two"><lines><line number="9" hits="0"/></lines></method></methods>
            <lines><line number="3" hits="1"/><line number="4" hits="0" branch="true"><conditions/></line></lines></class>
          <class name="a.b" filename="shop/cart.py"><methods/><lines><line number="12" hits="7"/></lines></class>
          <class filename="shop/idle.py"><methods/><lines><line number="1" hits="0"/></lines></class>
          <class filename="shop/__init__.py"><methods/><lines/></class>
        </classes></package></packages></coverage>"#;
    let coverage = parsed(text);
    assert_eq!(coverage.sources, ["/build/shop/src", "C:\\shop & more"]);
    let cart = &coverage.files[0];
    assert_eq!((cart.name.as_str(), functions(cart)), ("shop/cart.py", Some(2)));
    assert_eq!(activity(cart), [(None, 1, vec![(3, 3), (12, 12)])]);
    let rest: Vec<_> = coverage.files[1..].iter().map(|file| (functions(file), file.statements)).collect();
    assert_eq!(rest, [(None, true), (None, false)]);
    let wrong = "<coverage>\n<packages><package><classes>\n<class filename='a'><lines>\n<line number='1'/>";
    assert_eq!(fault(wrong), CoverageFault::at(4, "a `line` has no `number` or no `hits`"));
}

#[test]
fn coverage_py_has_functions_and_contexts() {
    let text = r#"{"meta":{"format":3,"show_contexts":true},"files":{"shop/cart.py":{"executed_lines":[1,4,6,9],
        "summary":{"num_statements":5},"missing_lines":[16],"excluded_lines":[],
        "contexts":{"0":[""],"1":[""],"6":["t.py::test_sum|run",""],"9":["t.py::test_sum|run","t.py::test_add|run"]},
        "functions":{"Cart.__init__":{"executed_lines":[6],"start_line":5,"contexts":{"6":["x"]}},
          "Cart.add":{"executed_lines":[9],"start_line":8},"Cart.clear":{"executed_lines":[],"missing_lines":[16]},
          "":{"executed_lines":[1,4],"start_line":1}},"classes":{"Cart":{"executed_lines":[6,9]}}},
        "idle.py":{"executed_lines":[],"missing_lines":[1]},"empty.py":{"executed_lines":[],"missing_lines":[]}},
        "totals":{"covered_lines":18}}"#;
    let coverage = parsed(text);
    assert_eq!(coverage.contexts, ["t.py::test_sum|run", "t.py::test_add|run"]);
    assert_eq!(functions(&coverage.files[0]), Some(3));
    let expected = [
        (None, 2, vec![(1, 1), (4, 4), (6, 6), (9, 9)]),
        (Some(0), 2, vec![(6, 6), (9, 9)]),
        (Some(1), 1, vec![(9, 9)]),
    ];
    assert_eq!(activity(&coverage.files[0]), expected);
    let rest: Vec<_> = coverage.files[1..].iter().map(|file| (functions(file), file.statements)).collect();
    assert_eq!(rest, [(None, true), (None, false)]);
    let twice = r#"{"meta":{},"files":{"a":{},"b":{},"a":{}}}"#;
    assert_eq!(fault(twice).message, "it names `a` twice");
}

#[test]
fn istanbul_counts_statements_on_their_first_lines() {
    let text = r#"{"/w/cart.js":{"s":{"0":1,"1":0,"2":3},"path":"/w/cart.js","statementMap":{"0":{"start":{"line":2,"column":0},
        "end":{"line":7,"column":null}},"1":{"start":{"line":3}},"2":{"start":{"line":5}}},
        "fnMap":{"0":{"name":"(a)","decl":{"start":{"line":3}},"loc":{"start":{"line":4}}},"1":{"name":"b","line":5}},
        "branchMap":{},"f":{"0":0,"1":2},"b":{},"inputSourceMap":{"sourcesContent":["{\"["]}},
        "/w/idle.js":{"path":"/w/idle.js","statementMap":{},"fnMap":{},"s":{},"f":{}}}"#;
    let coverage = parsed(text);
    assert_eq!((functions(&coverage.files[0]), coverage.files[0].name.as_str()), (Some(2), "/w/cart.js"));
    assert_eq!(activity(&coverage.files[0]), [(None, 1, vec![(2, 2), (5, 5)])]);
    assert_eq!((functions(&coverage.files[1]), coverage.files[1].statements), (Some(0), false));
}

#[test]
fn a_place_of_a_function_without_a_count_is_no_counter() {
    let place_of = |text: &str| functions(&parsed(text).files[0]);
    assert_eq!(place_of("SF:b.rs\nFN:1,f\nDA:1,1\nDA:2,1\nend_of_record\n"), None);
    assert_eq!(place_of("SF:b.rs\nFNL:0,1,2\nDA:1,1\nend_of_record\n"), None);
    assert_eq!(place_of("SF:b.rs\nFN:1,f\nFNDA:0,f\nDA:1,1\nend_of_record\n"), Some(1));
    let method = |lines: &str| {
        let (first, last) =
            ("<coverage><packages><package><classes><class filename=\"b.cs\"><methods><method>", "</method>");
        let rest = "</methods><lines><line number=\"2\" hits=\"1\"/></lines></class></classes></package></packages></coverage>";
        place_of(&[first, lines, last, rest].concat())
    };
    assert_eq!(method("<lines/>"), None);
    for [number, hits] in [["2", "0"], ["0", "1"]] {
        assert_eq!(method(&format!("<lines><line number=\"{number}\" hits=\"{hits}\"/></lines>")), Some(1));
    }
    let map = r#"{"/b.js":{"path":"/b.js","statementMap":{},"s":{},"fnMap":{"0":{"line":3}}}}"#;
    assert_eq!(place_of(map), None);
    assert_eq!(place_of(&map.replace("\"s\":", "\"f\":{\"0\":0},\"s\":")), Some(1));
    let python = r#"{"meta":{},"files":{"b.py":{"executed_lines":[1],"functions":{"f":{"summary":{}}}}}}"#;
    assert_eq!(place_of(python), None);
    assert_eq!(place_of(&python.replace("\"summary\":{}", "\"missing_lines\":[2]")), Some(1));
}

#[test]
fn a_profile_has_a_mode_of_go() {
    assert_eq!(fault("mode: foo\n").message, "`foo` is no mode of a profile: set, count or atomic");
    for mode in ["set", "count", "atomic"] {
        assert!(parsed(format!("mode: {mode}\na.go:1.1,2.2 1 1\n")).files.len() == 1, "{mode}");
    }
}
