use super::*;
use crate::features::coverage::judge::measured::tests::{MapGround, file, ground, path, report};

/// The meanings of the names: a path, `-` if untracked, `x` if dropped.
fn meant_in(ground: &MapGround, place: &str, report: &Coverage) -> Vec<String> {
    let place = path(place);
    let names = Resolver::new(report, ground, &place).names();
    let text = |name| match name {
        MeasuredName::Tracked(path) => path.to_string(),
        MeasuredName::Untracked => "-".into(),
        MeasuredName::Dropped => "x".into(),
    };
    names.into_iter().map(text).collect()
}

fn tracked(files: &[&str]) -> MapGround {
    ground(&files.iter().map(|name| (*name, "")).collect::<Vec<_>>())
}

fn named(format: Format, names: &[&str]) -> Coverage {
    report(format, names.iter().map(|name| file(name, None, 0, &[1])).collect())
}

fn meant(files: &[&str], names: &[&str]) -> Vec<String> {
    meant_in(&tracked(files), "", &named(Format::Lcov, names))
}

#[test]
fn a_relative_name_counts_from_the_top_or_from_where_one_stands() {
    let all = tracked(&["src/a.py", "js/src/a.py", "js/b.py"]);
    for (place, names, expected) in [
        ("", &["src/a.py", "./src//a.py", "src\\a.py", "js/../src/a.py"][..], &["src/a.py"; 4][..]),
        ("js", &["b.py", "../src/a.py"], &["js/b.py", "src/a.py"]),
        ("js", &["src/a.py"], &["src/a.py"]),
        // more names fit from the place, so the doubtful one is meant from there
        ("js", &["src/a.py", "b.py"], &["js/src/a.py", "js/b.py"]),
        ("", &["a.py", "gone/a.py"], &["-", "-"]),
    ] {
        assert_eq!(meant_in(&all, place, &named(Format::Lcov, names)), expected, "{place} {names:?}");
    }
}

#[test]
fn names_that_are_relative_to_a_package_count_from_the_one_directory_that_fits() {
    let all = ["packages/shop/src/cart.js", "packages/shop/src/price.js", "packages/post/src/cart.js", "docs/a.js"];
    for (names, expected) in [
        (&["src/cart.js", "src/price.js"][..], &["packages/shop/src/cart.js", "packages/shop/src/price.js"][..]),
        (
            &["src/cart.js", "src\\price.js", "src/gone.js"],
            &["packages/shop/src/cart.js", "packages/shop/src/price.js", "-"],
        ),
        // two packages fit
        (&["src/cart.js"], &["-"]),
        (&["src/cart.js", "src/gone.js"], &["-", "-"]),
        (&["src/price.js"], &["packages/shop/src/price.js"]),
        // one name of several is too little
        (&["src/price.js", "src/gone.js"], &["-", "-"]),
        // a name that fits from the top shows where the report is from
        (&["docs/a.js", "src/cart.js", "src/price.js"], &["docs/a.js", "-", "-"]),
        (&["node_modules/shop/src/cart.js", "node_modules/shop/src/price.js"], &["-", "-"]),
        (&["../src/cart.js", "../src/price.js"], &["x", "x"]),
    ] {
        assert_eq!(meant(&all, names), expected, "{names:?}");
    }
}

#[test]
fn a_name_that_leaves_is_dropped() {
    let names =
        ["../../etc/passwd", "a\0.py", ".git/config", "/home/dev/shop/../x/a.py", "/x/.git/a.py", "C:\\x\\..\\..\\a"];
    assert_eq!(meant(&["a.py"], &names), ["x"; 6]);
}

#[test]
fn a_name_below_this_work_tree_is_cut() {
    let all = ["src/a.py", "b.py"];
    assert_eq!(meant(&all, &["/home/dev/shop/src/a.py", "/home/dev/shop/gone.py"]), ["src/a.py", "-"]);
    // a neighbour with a longer name is elsewhere; two names fit it, but the first one shows where the report is from
    let names = ["/home/dev/shop/src/a.py", "/home/dev/shop2/src/a.py", "/home/dev/shop2/b.py"];
    assert_eq!(meant(&all, &names), ["src/a.py", "-", "-"]);
}

#[test]
fn a_source_of_cobertura_is_put_before_a_name() {
    let all = tracked(&["src/shop/cart.py", "src/shop/price.py", "setup.py"]);
    for (source, expected) in [
        ("/home/dev/shop/src", ["src/shop/cart.py", "src/shop/price.py"]),
        ("src", ["src/shop/cart.py", "src/shop/price.py"]),
        ("/build/shop/src/", ["src/shop/cart.py", "src/shop/price.py"]),
        ("C:\\agent\\1\\src", ["src/shop/cart.py", "src/shop/price.py"]),
        ("/home/dev/shop/other", ["-", "-"]),
        ("/usr/lib/site-packages/src", ["-", "-"]),
    ] {
        let names = named(Format::Cobertura, &["shop/cart.py", "shop/price.py"]);
        let report = Coverage { sources: vec![source.into()], ..names };
        assert_eq!(meant_in(&all, "", &report), expected, "{source}");
    }
}

#[test]
fn an_absolute_source_speaks_before_the_top_and_a_name_in_two_sources_is_none() {
    let all = tracked(&["main.py", "src/main.py", "lib/main.py", "lib/tool.py"]);
    let meant_from = |sources: &[&str], names: &[&str]| {
        let sources = sources.iter().map(|source| (*source).into()).collect();
        meant_in(&all, "", &Coverage { sources, ..named(Format::Cobertura, names) })
    };
    assert_eq!(meant_from(&["/home/dev/shop/src"], &["main.py"]), ["src/main.py"]);
    assert_eq!(meant_from(&[], &["main.py"]), ["main.py"]);
    let both = ["/home/dev/shop/src", "/home/dev/shop/lib"];
    assert_eq!(meant_from(&both, &["main.py", "tool.py"]), ["-", "lib/tool.py"]);
    // also in a container
    let report = Coverage {
        sources: vec!["/build/src".into(), "/build/lib".into()],
        ..named(Format::Cobertura, &["main.py", "tool.py"])
    };
    let all = tracked(&["src/main.py", "lib/main.py", "lib/tool.py"]);
    assert_eq!(meant_in(&all, "", &report), ["-", "lib/tool.py"]);
}

#[test]
fn an_installed_copy_is_no_file_of_this_repository() {
    for dir in ["root/.cargo/registry/src/index-1/serde-1.0", "usr/lib/ruby/gems/3.2.0/rack", "srv/.venv/lib/shop"] {
        let names = ["src/a.py", "src/b.py"].map(|name| format!("/{dir}/{name}"));
        assert_eq!(meant(&["src/a.py", "src/b.py"], &names.each_ref().map(String::as_str)), ["-", "-"], "{dir}");
    }
}

#[test]
fn the_module_of_a_go_mod_is_cut_off() {
    let mut all = tracked(&["go/cart/cart.go", "go/tool/x.go", "shop/cart/cart.go", "a/one.go", "b/one.go"]);
    let module = |dir: &str, name: &str| (path(dir), name.to_owned());
    all.modules = vec![module("go", "shop"), module("go/tool", "shop/tool"), module("a", "two"), module("b", "two")];
    for (place, name, expected) in [
        // not `shop/cart/cart.go` of the repository
        ("", "shop/cart/cart.go", "go/cart/cart.go"),
        ("", "shop/tool/x.go", "go/tool/x.go"),
        ("", "shop/gone.go", "-"),
        ("", "shop/../../x.go", "x"),
        ("", "shopping/x.go", "-"),
        ("", "two/one.go", "x"),
        ("b", "two/one.go", "b/one.go"),
        ("", "a/one.go", "a/one.go"),
    ] {
        assert_eq!(meant_in(&all, place, &named(Format::Go, &[name])), [expected], "{place} {name}");
    }
    // only a Go profile has such names
    assert_eq!(meant_in(&all, "", &named(Format::Lcov, &["shop/cart/cart.go"])), ["shop/cart/cart.go"]);
}

#[test]
fn a_container_has_one_prefix_for_the_whole_report() {
    let all = ["src/shop/cart.py", "src/shop/price.py", "shop/cart.py"];
    let names = ["/build/shop/src/shop/cart.py", "/build/shop/src/shop/price.py", "/usr/lib/os.py"];
    assert_eq!(meant(&all, &names), ["src/shop/cart.py", "src/shop/price.py", "-"]);
    let windows = ["C:\\build\\src\\shop\\cart.py", "C:\\build\\src\\shop\\price.py"];
    assert_eq!(meant(&all, &windows), ["src/shop/cart.py", "src/shop/price.py"]);
    let top = ["/src/shop/cart.py", "/src/shop/price.py"];
    assert_eq!(meant(&all, &top), ["src/shop/cart.py", "src/shop/price.py"]);
}

#[test]
fn a_name_through_a_tracked_link_is_the_file_behind_it() {
    let mut all = tracked(&["src/a.py", "src/b.py", "src/deep/c.py"]);
    all.links = vec![(path("lib"), path("src")), (path("deep"), path("src/deep"))];
    assert_eq!(
        meant_in(&all, "", &named(Format::Lcov, &["lib/a.py", "/home/dev/shop/deep/c.py"])),
        ["src/a.py", "src/deep/c.py"]
    );
    assert_eq!(meant_in(&all, "lib", &named(Format::Lcov, &["b.py", "gone.py", "../deep"])), ["src/b.py", "-", "-"]);
    assert_eq!(meant_in(&all, "", &named(Format::Lcov, &["/app/lib/a.py", "/app/lib/b.py"])), ["src/a.py", "src/b.py"]);
    // a link to the top: the names themselves say where the report was written
    all.links.push((path("vendor/shop"), RepoPath::root()));
    let names = ["/build/vendor/shop/src/a.py", "/build/vendor/shop/src/b.py"];
    assert_eq!(meant_in(&all, "", &named(Format::Lcov, &names)), ["src/a.py", "src/b.py"]);
}

// time that grows with the square of the depth would be minutes here; a clock would fail on a busy machine
#[test]
fn a_deep_name_below_many_sources_is_looked_up_as_a_short_one_is() {
    let deep = |at: usize| format!("/{at}/{}a.py", "d/".repeat(2000));
    let names: Vec<String> = (0..400).map(deep).collect();
    assert!(meant(&["a.py"], &names.iter().map(String::as_str).collect::<Vec<_>>()).iter().all(|name| name == "-"));
    let sources = (0..64).map(|at| format!("/b/{at}")).collect();
    let names: Vec<String> = (0..3000).map(|at| format!("{at}/a.py")).collect();
    let report = named(Format::Cobertura, &names.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(meant_in(&tracked(&["a.py"]), "", &Coverage { sources, ..report }).len(), 3000);
}

#[test]
fn a_prefix_is_not_guessed_from_one_file_of_many_or_from_a_tie() {
    let other = "/usr/lib/os.py";
    assert_eq!(meant(&["src/a.py"], &["/build/src/a.py", other]), ["-", "-"]);
    assert_eq!(meant(&["src/a.py"], &["/build/src/a.py"]), ["src/a.py"]);
    assert_eq!(meant(&["src/a.py", "a.py"], &["/build/src/a.py"]), ["-"], "two tracked paths fit");
    let tie = ["/x/src/a.py", "/x/src/b.py"];
    assert_eq!(meant(&["src/a.py", "src/b.py", "a.py", "b.py"], &tie), ["-", "-"]);
    // the same path from two places is one path
    assert_eq!(meant(&["a.py"], &["/x/a.py", "/x/./a.py"]), ["-", "-"]);
}

#[test]
fn an_installed_copy_is_not_the_file_of_this_repository() {
    let all = ["shop/cart.py", "shop/price.py"];
    let copies = ["/usr/lib/python3/site-packages/shop/cart.py", "/usr/lib/python3/site-packages/shop/price.py"];
    assert_eq!(meant(&all, &copies), ["-", "-"]);
    let beside = [copies[0], copies[1], "/app/shop/cart.py", "/app/shop/price.py"];
    assert_eq!(meant(&all, &beside), ["-", "-", "shop/cart.py", "shop/price.py"]);
    assert_eq!(meant(&all, &["/app/node_modules/shop/cart.py", "/app/node_modules/shop/price.py"]), ["-", "-"]);
    assert_eq!(meant(&all, &["shop/cart.py", copies[0], copies[1]]), ["shop/cart.py", "-", "-"]);
    assert_eq!(meant(&all, &["/home/dev/shop/.venv/lib/site-packages/shop/cart.py", "shop/price.py"])[0], "-");
}

/// A small generator of numbers below `most`.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % most
    }

    fn some_path(&mut self, most: usize) -> String {
        let parts = 1 + self.roll(most);
        (0..parts).map(|_| ["a", "b", "c"][self.roll(3)]).collect::<Vec<_>>().join("/")
    }
}

/// The rule word by word: try every prefix that any name has, remove it from every name, and count the tracked paths.
fn slow_prefix(names: &[String], tracked: &BTreeSet<String>) -> Option<String> {
    let mut prefixes: BTreeSet<String> = BTreeSet::new();
    for name in names {
        let parts: Vec<&str> = name.split('/').collect();
        prefixes.extend((0..parts.len()).map(|end| parts[..end].join("/")));
    }
    let fit = |prefix: &String| {
        let cut = |name: &String| match prefix.is_empty() {
            true => Some(name.clone()),
            false => name.strip_prefix(&format!("{prefix}/")).map(str::to_owned),
        };
        names.iter().filter_map(cut).filter(|rest| tracked.contains(rest)).collect::<BTreeSet<String>>().len()
    };
    let most = prefixes.iter().map(fit).max().filter(|most| *most > 0)?;
    let best: Vec<&String> = prefixes.iter().filter(|prefix| fit(prefix) == most).collect();
    let enough = most >= 2 || names.len() == 1;
    if let ([only], true) = (&best[..], enough) { Some((*only).clone()) } else { None }
}

#[test]
fn the_prefix_equals_that_of_a_slow_judge() {
    let mut dice = Dice(29);
    let (mut found, mut none) = (0, 0);
    for round in 0..4_000 {
        let tracked: BTreeSet<String> = (0..=dice.roll(6)).map(|_| dice.some_path(3)).collect();
        let count = 1 + dice.roll(5);
        let container = dice.some_path(2);
        let names: Vec<String> = (0..count)
            .map(|_| match dice.roll(3) {
                0 => dice.some_path(5),
                _ => format!("{container}/{}", tracked.iter().nth(dice.roll(tracked.len())).unwrap()),
            })
            .collect();
        let fast = foreign_prefix(|| names.iter().map(|name| path(name)), names.len() == 1, &|path| {
            tracked.contains(&path.to_string())
        });
        let slow = slow_prefix(&names, &tracked);
        assert_eq!(fast.map(|prefix| prefix.to_string()), slow, "round {round}: {names:?} in {tracked:?}");
        if slow.is_some() { found += 1 } else { none += 1 }
    }
    assert!(found > 500 && none > 500, "{found} {none}");
}
