//! `under-declared`: the measured run went through files that the scenario does not declare.

use crate::engine::facts::Facts;
use crate::engine::freshness::governed;
use crate::features::coverage::judge::earlier::Fate;
use crate::features::coverage::judge::undeclared::{
    AllUndeclared, MarkingLine, MarkingLines, Undeclared, sentence_about,
};
use crate::finding::{Finding, RuleId};
use crate::model::governed::Governed;
use crate::model::ids::same_name;
use crate::model::ledger::{Event, Line, Reading};
use crate::model::node::Declared;
use crate::model::reference::scenario_word;
use crate::rules::gate_lowered;
use crate::rules::wording::{node_argument, of_scenario};
use crate::rules::{Change, Check, Explanation, Rule, STATES};
use crate::text::escape::echo;

pub(crate) const RULE: Rule = Rule {
    id: RuleId::UnderDeclared,
    explanation: &Explanation::of(
        "The coverage of the reading that counts names files that ran and that the scenario does not declare.",
        "A change of such a file leaves the reading fresh, although the measured run went through the file.",
        "Name the files under `code:`; the reading stays fresh. Where a file does not matter for the result, for example a logger, name it under \
         `related:`, or in yatsu.coverageIgnore for all scenarios. If yatsu.rules raises this rule, do that in a change of its own. It is advice: \
         coverage never makes a reading stale, and changes no verdict.",
    ),
    doors: STATES,
    checks: &[Check::View(check), Check::Change(of_change), Check::Change(lowered)],
    is_older: Some(is_older),
    join: None,
};

fn check(facts: &Facts, found: &mut Vec<Finding>) {
    found.extend(AllUndeclared::of(facts).iter().filter_map(|one| finding(facts, one)));
}

/// The readings with coverage that a change adds, where the change also marks files as generated. Such files are left out when a
/// reading is filed, so the line cannot say whether the run went through one. `marked` is empty where the rule was not raised.
fn of_change(change: &Change<'_>, found: &mut Vec<Finding>) {
    if marked(change).is_empty() {
        return;
    }
    for added in change.added.iter().filter(|added| !added.moved && !added.imported) {
        let Event::Reading(reading) = &added.line.event else { continue };
        if reading.terms.coverage.is_some() {
            let mut finding = added.finding(
                RuleId::UnderDeclared,
                "the same change marks files as generated, and a reading leaves such files out: its run may have gone \
                 through one",
            );
            finding.help = "mark the files in a change of its own, and measure after it".into();
            found.push(finding);
        }
    }
}

fn marked<'c>(change: &'c Change<'_>) -> &'c [MarkingLine] {
    change.parts.get::<MarkingLines>().map_or(&[], |lines| &lines.0)
}

/// The lines by which a change marks files as generated: a later reading leaves those files out.
fn lowered(change: &Change<'_>, found: &mut Vec<Finding>) {
    if gate_lowered::gate(change).is_none() {
        return;
    }
    found.extend(marked(change).iter().map(|MarkingLine { file, line, is_added }| {
        let (verb, what) = (if *is_added { "gains" } else { "loses" }, "under-declared may name fewer files now");
        gate_lowered::by_file(format!("{file} {verb} the line `{}`: {what}", echo(line)), file.to_bstring())
    }));
}

fn finding(facts: &Facts, one: &Undeclared) -> Option<Finding> {
    let Declared { node, scenario } = declared(facts, one)?;
    let mut finding = of_scenario(RuleId::UnderDeclared, node, scenario, sentence_about(one));
    let word = scenario_word(&node_argument(node), &scenario.name);
    finding.help = format!(
        "the lines to add under `code:`: yatsu-hook coverage suggest {word} --coverage FILE   (or, in a change of its own, \
         name them under `related:` where they do not matter)"
    );
    let named = one.paths.iter().filter(|_| one.fate != Fate::Redacted);
    finding.undeclared = named.map(ToString::to_string).collect();
    Some(finding)
}

fn declared<'f>(facts: &'f Facts, one: &Undeclared) -> Option<Declared<'f>> {
    let (node, _) = facts.scored(&one.dir)?;
    let scenario = node.scenarios().iter().find(|scenario| scenario.name == one.name)?;
    Some(Declared { node, scenario })
}

/// Whether a finding of this rule is older than the change: one base also names all its files, or its ledger holds the
/// reading and its lists are the same. Then only the files or the configuration changed, or the reading counts again. A change
/// that takes the reading away answers for it.
fn is_older(change: &Change<'_>, finding: &Finding) -> bool {
    let one = AllUndeclared::of(change.view).iter().find(|one| {
        finding.node.as_ref().is_some_and(|node| *one.dir.as_bstr() == node.dir)
            && finding.scenario.as_deref() == Some(&one.name)
    });
    let Some(one) = one.filter(|one| one.fate == Fate::Kept) else { return false };
    (0..change.bases.len()).any(|base| names_all(&change.bases[base], one) || is_same_entry(change, base, one))
}

fn names_all(base: &Facts, one: &Undeclared) -> bool {
    let of_base = AllUndeclared::of(base).iter().find(|of_base| (&of_base.dir, &of_base.name) == (&one.dir, &one.name));
    let is_known = |of_base: &Undeclared, now| of_base.paths.contains(one.former.get(now).unwrap_or(now));
    of_base.is_some_and(|of_base| of_base.more >= one.more && one.paths.iter().all(|path| is_known(of_base, path)))
}

/// Whether the scenario is as in the base, perhaps in a node that moved since.
fn is_same_entry(change: &Change<'_>, base: usize, one: &Undeclared) -> bool {
    let Some(is) = declared(change.view, one) else { return false };
    let is_it = |now: Declared<'_>| (&now.node.dir, &now.scenario.name) == (&one.dir, &one.name);
    let mut before = change.bases[base].scenarios().map(|(node, scenario, _)| Declared { node, scenario });
    let moved = || before.find(|was| change.successor(base, *was).is_some_and(is_it));
    let Some(was) = declared(&change.bases[base], one).or_else(moved) else { return false };
    let Some(reading) = change.view.counting(&one.dir, &one.name) else { return false };
    let said = |reading: &Reading| (reading.ts, reading.terms.coverage.clone());
    let is_filed = |line: &Line| match &line.event {
        Event::Reading(known) => same_name(&known.scenario, &one.name) && said(known) == said(reading),
        _ => false,
    };
    lists(was) == lists(is) && was.node.ledgers.iter().flat_map(|ledger| &ledger.lines).any(is_filed)
}

/// Every entry that declares a file for the scenario, as written.
fn lists(Declared { node, scenario }: Declared<'_>) -> [Vec<String>; 3] {
    let shown = |list: &[Governed]| list.iter().map(Governed::shown).collect();
    let of_node = node.spec.as_ref().map_or(&[][..], |spec| &spec.related);
    [shown(governed(node, scenario)), shown(&scenario.related), shown(of_node)]
}

#[cfg(test)]
mod tests {
    use crate::engine::facts::Facts;
    use crate::features::coverage::judge::earlier::Earlier;
    use crate::features::coverage::judge::undeclared::{AllUndeclared, undeclared};
    use crate::finding::RuleId;
    use crate::rules::Change;
    use crate::rules::tests::case::{CONFIG, Case, FILE, LEDGER, SOURCE, WORKS, reading};
    use crate::tree::memory::MemoryTree;

    /// A ledger whose line says that these files ran.
    fn ran(minute: u32, paths: &[&str]) -> String {
        let paths = serde_json::to_string(paths).unwrap();
        let coverage = format!("\"coverage\":{{\"format\":\"lcov\",\"ran\":{paths},\"more\":0,\"loaded\":2}},\"ts\"");
        reading("pass", minute).replace("\"ts\"", &coverage)
    }

    fn case() -> Case {
        ["src/b.rs", "src/c.rs", "src/d#e.rs"]
            .into_iter()
            .fold(Case::new(), |case, path| case.with(path, "fn f() {}\n"))
    }

    fn told(case: &Case) -> String {
        told_with(case, |_| {})
    }

    fn told_with(case: &Case, know: impl FnOnce(&mut Change<'_>)) -> String {
        let add = |tree: &MemoryTree, facts: &mut Facts| {
            let all = undeclared(tree, &facts.workspace.config, facts, &Earlier::default()).unwrap();
            facts.parts.put(AllUndeclared(all));
        };
        case.told_of(RuleId::UnderDeclared, add, know)
    }

    #[test]
    fn files_that_ran_and_are_not_declared_are_named_in_one_finding() {
        insta::assert_snapshot!(told(&case().with(LEDGER, ran(1, &["src/c.rs", "src/b.rs", "src/c.rs", SOURCE, "gone.rs"]))), @"
        .spec/n/yatsu.md:3:5: info[under-declared] n/works: the measured run went through 2 files that its code list does not name: src/b.rs, src/c.rs
            tags: cli
            help: the lines to add under `code:`: yatsu-hook coverage suggest n/works --coverage FILE   (or, in a change of its own, name them under `related:` where they do not matter)
        ");
        let many: Vec<String> = (0..7).map(|at| format!("src/{at}.rs")).collect();
        let case = many.iter().fold(case(), |case, path| case.with(path, ""));
        let paths: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(told(&case.with(LEDGER, ran(1, &paths))).contains(
            "7 files that its code list does not name: src/0.rs, src/1.rs, src/2.rs, src/3.rs, src/4.rs and 2 more\n"
        ));
    }

    #[test]
    fn a_declared_related_or_ignored_file_is_not_named() {
        let measured = case().with(LEDGER, ran(1, &["src/b.rs"]));
        let with = |from: &str, to: &str| told(&measured.clone().with(FILE, WORKS.replace(from, to)));
        assert!(!told(&measured).is_empty());
        assert_eq!(told(&case().with(LEDGER, ran(1, &[SOURCE]))), "", "governed");
        for code in ["[src/a.rs, src/b.rs]", "src", "src/*.rs", "[src/a.rs, 'src/b.rs#f']"] {
            assert_eq!(with("src/a.rs", code), "", "{code}");
        }
        for more in ["related: src/b.rs", "related: ['src/?.rs']", "test: src/b.rs", "test: ../../src/b.rs"] {
            assert_eq!(with("    code:", &format!("    {more}\n    code:")), "", "{more}");
        }
        let spec = "---\ntitle: n\nrelated: src/b.rs\n---\n";
        assert_eq!(told(&measured.clone().with(".spec/n/spec.md", spec)), "", "related of the node");
        for (key, glob) in [("coverageIgnore", "src/b*"), ("coverageIgnore", "src"), ("exclude", "src/b.rs")] {
            let config = format!("{{\"yatsu\": {{\"{key}\": [\"{glob}\"]}}}}");
            assert_eq!(told(&measured.clone().with(CONFIG, config)), "", "{key}");
        }
        assert_eq!(told(&measured.clone().without("src/b.rs")), "", "gone");
        let unread = WORKS.replace("code: src/a.rs", "code: [src/a.rs, {a: b}]");
        assert_eq!(told(&measured.clone().with(FILE, unread)), "", "an unreadable list may name it");
        let later = ran(1, &["src/b.rs"]) + &reading("pass", 2);
        assert_eq!(told(&case().with(LEDGER, later)), "", "a later reading without coverage counts");
    }

    #[test]
    fn a_change_introduces_it_by_a_reading_or_by_the_entry_alone() {
        let measured = || case().with(LEDGER, ran(1, &["src/b.rs"]));
        let is_new = |case: Case| {
            let mut origin = Vec::new();
            told_with(&case, |change| {
                let found = crate::rules::of_change(change).into_iter().filter(|one| one.rule == RuleId::UnderDeclared);
                origin.extend(found.map(|one| one.origin.unwrap().as_str()));
            });
            origin.join(" ")
        };
        assert_eq!(is_new(case().committed().with(LEDGER, ran(1, &["src/b.rs"]))), "introduced");
        let two = [ran(1, &["src/b.rs"]), ran(2, &["src/b.rs", "src/c.rs"])].concat();
        assert_eq!(is_new(measured().committed().with(LEDGER, &two)), "introduced", "one more file");
        let same = [ran(1, &["src/b.rs"]), ran(2, &["src/b.rs"])].concat();
        assert_eq!(is_new(measured().committed().with(LEDGER, &same)), "inherited", "no more files");
        let both = WORKS.replace("src/a.rs", "[src/a.rs, src/b.rs]");
        assert_eq!(is_new(measured().with(FILE, &both).committed().with(FILE, WORKS)), "introduced", "narrowed");
        let reworded = WORKS.replace("measure it", "measure it well");
        assert_eq!(is_new(measured().committed().with(FILE, reworded)), "inherited", "reworded");
        assert_eq!(is_new(measured().without("src/b.rs").committed().with("src/b.rs", "")), "inherited", "back again");
        let ignored = r#"{"yatsu": {"coverageIgnore": ["src/b.rs"]}}"#;
        assert_eq!(is_new(measured().with(CONFIG, ignored).committed().with(CONFIG, "{}")), "inherited");
        assert_eq!(is_new(measured().committed().with(FILE, &both)), "fixed", "declared afterwards");
        assert_eq!(is_new(measured().committed().without("src/b.rs")), "fixed", "gone");
    }
}
