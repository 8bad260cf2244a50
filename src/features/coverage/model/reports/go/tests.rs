use crate::features::coverage::model::reports::{Coverage, Format, read};

fn parsed(text: &str) -> Coverage {
    read(text.as_bytes(), &[]).unwrap()
}

fn fault(text: &str) -> (Option<u32>, String) {
    let fault = read(text.as_bytes(), &[]).expect_err(text);
    (fault.line, fault.message)
}

/// Each file with its executed ranges.
fn ran(coverage: &Coverage) -> Vec<(&str, Vec<(u32, u32)>)> {
    let ranges = |file: &super::super::MeasuredFile| {
        file.activity[0].lines.ranges().map(|range| (*range.start(), *range.end())).collect()
    };
    coverage.files.iter().map(|file| (file.name.as_str(), ranges(file))).collect()
}

#[test]
fn the_executed_blocks_of_each_file_are_its_lines() {
    let coverage = parsed(
        "mode: set\nshop/price.go:3.29,5.26 2 1\nshop/price.go:8.2,8.12 1 1\nshop/price.go:5.26,7.3 1 1\n\
         shop/price.go:11.39,13.2 1 0\nshop/idle.go:2.1,4.2 1 0\n",
    );
    assert_eq!(coverage.format, Format::Go);
    assert_eq!(ran(&coverage), [("shop/price.go", vec![(3, 8)]), ("shop/idle.go", vec![])]);
    assert!(coverage.files.iter().all(|file| file.statements && file.functions.is_none()));
}

#[test]
fn blocks_of_one_file_are_merged_wherever_they_stand() {
    let text = "mode: count\na b:c.go:9.1,9.5 1 7\nd.go:1.1,2.2 1 0\na b:c.go:9.1,9.5 1 0\nmode: count\na b:c.go:2.1,3.5 1 1e3\n";
    for text in [text.to_owned(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
        assert_eq!(ran(&parsed(&text)), [("a b:c.go", vec![(2, 3), (9, 9)]), ("d.go", vec![])]);
    }
    assert_eq!(parsed("mode: atomic\n").files, []);
}

#[test]
fn a_line_that_is_no_block_is_a_fault_with_its_place() {
    for line in ["x", "a.go:1.1,2.2 1", "a.go:2.1,1.2 1 1", "a.go:0.1,1.2 1 1", ":1.1,1.2 1 1", "a.go:1.1,1.2 1 x"] {
        let (at, said) = fault(&format!("mode: set\n{line}\n"));
        assert_eq!((at, said), (Some(2), format!("`{line}` is no block of a profile")));
    }
    assert_eq!(fault("mode: set\na.go:1.1,2.2 1 1").0, Some(2));
}
