use super::*;
use crate::model::budgets::RequireUsage;
use crate::model::ledger::parse;
use crate::model::usage::Metric;
use proptest::prelude::*;

fn series(name: &str) -> SpendingSeries {
    SpendingSeries::new(&RepoPath::from_git("n"), name)
}

fn at(second: i64) -> FiledAt {
    FiledAt { ts: Timestamp { millis: second * 1000 }, ledger: RepoPath::from_git("n/l"), line: 1 }
}

fn amounts(list: &[(Metric, u64)]) -> Amounts {
    let mut amounts = Amounts::default();
    list.iter().for_each(|(metric, amount)| amounts.set(*metric, *amount));
    amounts
}

/// A reading of scenario s in run r.
fn spent(second: i64, list: &[(Metric, u64)]) -> Spending {
    Spending {
        at: at(second),
        series: series("s"),
        run: RunId::parse("r"),
        amounts: amounts(list),
        repeats: false,
        is_copy: false,
    }
}

fn of_task(list: &[(Metric, u64)]) -> Budgets {
    Budgets { task: amounts(list), ..Budgets::default() }
}

fn of_run(list: &[(Metric, u64)]) -> Budgets {
    Budgets { run: amounts(list), ..Budgets::default() }
}

fn told(overlay: &BudgetOverlay, second: i64) -> Vec<(&'static str, &'static str, Option<u64>, u64)> {
    let judged = overlay.reading(&at(second)).unwrap();
    let tell = |breach: &PassedLimit| (breach.scope, breach.metric, breach.observed, breach.limit);
    judged.breaches.iter().map(tell).collect()
}

const PASS: ReadingVerdict = ReadingVerdict::Measured(Status::Pass);

fn is_failed(overlay: &BudgetOverlay, second: i64) -> bool {
    overlay.reading(&at(second)).unwrap().effective(&PASS) == ReadingVerdict::Measured(Status::Fail)
}

use Metric::{CpuSystem, CpuUser, IoRead, IoWrite, Rss, Tokens};

#[test]
fn what_equals_its_limit_passes_and_one_more_breaches() {
    let overlay = |total| BudgetOverlay::of(vec![spent(1, &[(Tokens, total)])], Vec::new(), &of_task(&[(Tokens, 100)]));
    assert_eq!(told(&overlay(100), 1), []);
    assert!(!is_failed(&overlay(100), 1));
    assert_eq!(told(&overlay(101), 1), [("task", "total_tokens", Some(101), 100)]);
    assert!(is_failed(&overlay(101), 1));
    assert_eq!(overlay(101).reading(&at(1)).unwrap().run_totals, Some(amounts(&[(Tokens, 101)])));
}

#[test]
fn all_breaches_are_listed_and_the_primary_one_is_first() {
    let everything: Vec<_> = Metric::ALL.into_iter().map(|metric| (metric, 2)).collect();
    let limits = amounts(&Metric::ALL.map(|metric| (metric, 1)));
    let budgets = Budgets { task: limits, run: limits, require_usage: RequireUsage::No };
    let names: Vec<_> = told(&BudgetOverlay::of(vec![spent(1, &everything)], Vec::new(), &budgets), 1)
        .iter()
        .map(|breach| (breach.0, breach.1))
        .collect();
    assert_eq!(
        names,
        [
            ("task", "rss_bytes"),
            ("task", "cpu_user_ticks"),
            ("task", "cpu_system_ticks"),
            ("task", "io_read_bytes"),
            ("task", "io_write_bytes"),
            ("task", "total_tokens"),
            ("run", "total_tokens"),
            ("run", "peak_rss_bytes"),
            ("run", "total_cpu_user_ticks"),
            ("run", "total_cpu_system_ticks"),
            ("run", "total_io_read_bytes"),
            ("run", "total_io_write_bytes"),
        ]
    );
}

#[test]
fn a_run_breaches_with_the_reading_that_takes_it_over_its_limit() {
    let two = vec![spent(2, &[(Tokens, 5)]), spent(1, &[(Tokens, 5)])];
    let overlay = BudgetOverlay::of(two, Vec::new(), &of_run(&[(Tokens, 8)]));
    assert_eq!(told(&overlay, 1), []);
    assert_eq!(told(&overlay, 2), [("run", "total_tokens", Some(10), 8)]);
    assert!(overlay.is_run_breached(&RunId::parse("r").unwrap()));
    assert!(!overlay.is_run_breached(&RunId::parse("x").unwrap()));
}

#[test]
fn the_resident_set_of_a_run_is_its_peak() {
    let three = vec![spent(1, &[(Rss, 300)]), spent(2, &[(Rss, 500)]), spent(3, &[(Rss, 10)])];
    let overlay = BudgetOverlay::of(three, Vec::new(), &of_run(&[(Rss, 400)]));
    assert_eq!(told(&overlay, 1), []);
    assert_eq!(told(&overlay, 2), [("run", "peak_rss_bytes", Some(500), 400)]);
    assert_eq!(told(&overlay, 3), [("run", "peak_rss_bytes", Some(500), 400)], "the peak is the run's from then on");
}

#[test]
fn sums_saturate() {
    let most = vec![spent(1, &[(IoWrite, u64::MAX - 1)]), spent(2, &[(IoWrite, 5)])];
    let overlay = BudgetOverlay::of(most, Vec::new(), &of_run(&[(IoWrite, u64::MAX - 1)]));
    assert_eq!(told(&overlay, 2), [("run", "total_io_write_bytes", Some(u64::MAX), u64::MAX - 1)]);
}

#[test]
fn silence_is_no_breach_unless_usage_is_required() {
    let silent = || vec![spent(5, &[])];
    let budgets = Budgets { task: amounts(&[(Rss, 1)]), run: amounts(&[(Tokens, 1)]), require_usage: RequireUsage::No };
    assert_eq!(told(&BudgetOverlay::of(silent(), Vec::new(), &budgets), 5), []);
    for (require_usage, breaches) in
        [(RequireUsage::Always, 2), (RequireUsage::From(at(5).ts), 2), (RequireUsage::From(at(6).ts), 0)]
    {
        let overlay = BudgetOverlay::of(silent(), Vec::new(), &Budgets { require_usage, ..budgets });
        assert_eq!(told(&overlay, 5).len(), breaches, "{require_usage:?}");
    }
}

#[test]
fn where_usage_is_required_a_reading_without_a_run_breaches_each_limit_of_runs() {
    let alone = Spending { run: None, ..spent(1, &[(Tokens, 1), (Rss, 1), (CpuUser, 1)]) };
    let budgets = of_run(&[(Tokens, 9), (CpuUser, 9)]);
    assert_eq!(told(&BudgetOverlay::of(vec![alone.clone()], Vec::new(), &budgets), 1), []);
    let required = Budgets { require_usage: RequireUsage::Always, ..budgets };
    assert_eq!(
        told(&BudgetOverlay::of(vec![alone], Vec::new(), &required), 1),
        [("run", "total_tokens", None, 9), ("run", "total_cpu_user_ticks", None, 9)]
    );
}

#[test]
fn a_breach_fails_later_readings_of_its_scenario_and_no_others() {
    let other = Spending { series: series("t"), run: None, ..spent(3, &[]) };
    let list = vec![spent(1, &[]), spent(2, &[(CpuSystem, 9)]), other, spent(4, &[])];
    let overlay = BudgetOverlay::of(list, Vec::new(), &of_task(&[(CpuSystem, 1)]));
    assert_eq!([1, 2, 3, 4].map(|second| is_failed(&overlay, second)), [false, true, false, true]);
    assert_eq!(told(&overlay, 4), [], "it breached nothing itself");
    assert_eq!(overlay.standing(&series("s")).map(|(at, _)| at), Some(&at(2)));
    assert!(overlay.standing(&series("t")).is_none());
}

#[test]
fn a_waiver_lets_the_recorded_verdicts_speak_again_and_a_raised_limit_does_too() {
    let list = || vec![spent(1, &[(Tokens, 9)]), spent(3, &[])];
    let waiver = |second, name| Waiver { at: at(second), series: series(name) };
    let limit = of_task(&[(Tokens, 1)]);
    let failed = |waivers: &[Waiver], limit| {
        let overlay = BudgetOverlay::of(list(), waivers.to_vec(), limit);
        ([1, 3].map(|second| is_failed(&overlay, second)), overlay.standing(&series("s")).is_some())
    };
    assert_eq!(failed(&[], &limit), ([true, true], true));
    assert_eq!(failed(&[waiver(2, "s")], &limit), ([false, false], false));
    assert_eq!(failed(&[waiver(4, "s")], &limit), ([false, false], false));
    assert_eq!(failed(&[waiver(0, "s")], &limit), ([true, true], true), "filed before the breach");
    assert_eq!(failed(&[waiver(2, "t")], &limit), ([true, true], true), "of another scenario");
    assert_eq!(failed(&[], &of_task(&[(Tokens, 9)])), ([false, false], false));
}

#[test]
fn a_waiver_refunds_nothing() {
    let list = vec![spent(1, &[(Tokens, 9)]), spent(3, &[(Tokens, 1)])];
    let waivers = [Waiver { at: at(2), series: series("s") }];
    let overlay = BudgetOverlay::of(list, waivers.to_vec(), &of_run(&[(Tokens, 5)]));
    assert_eq!([1, 3].map(|second| is_failed(&overlay, second)), [false, true]);
    assert_eq!(told(&overlay, 3), [("run", "total_tokens", Some(10), 5)]);
    assert!(overlay.is_run_breached(&RunId::parse("r").unwrap()));
}

#[test]
fn a_waiver_of_the_last_breach_opens_the_run_again() {
    let list = vec![spent(1, &[(Tokens, 9)])];
    let waivers = [Waiver { at: at(2), series: series("s") }];
    let overlay = BudgetOverlay::of(list, waivers.to_vec(), &of_run(&[(Tokens, 5)]));
    assert!(!overlay.is_run_breached(&RunId::parse("r").unwrap()));
    assert_eq!(overlay.runs()[&RunId::parse("r").unwrap()].get(Tokens), Some(9));
}

/// A slow second implementation: every reading computes the total of its run and the standing breach from the start.
fn slowly(list: &[Spending], waivers: &[Waiver], budgets: &Budgets) -> Vec<(FiledAt, usize, bool)> {
    let before = |one: &Spending, other: &Spending| one.at <= other.at;
    let count = |reading: &Spending| {
        let mut count = 0;
        for metric in Metric::ALL {
            let own = reading.amounts.get(metric);
            if budgets.task.get(metric).is_some_and(|limit| own.is_some_and(|own| own > limit)) {
                count += 1;
            }
            let of_run: Vec<u64> = list
                .iter()
                .filter(|other| reading.run.is_some() && other.run == reading.run && before(other, reading))
                .filter_map(|other| other.amounts.get(metric))
                .collect();
            let total = if metric == Rss { of_run.iter().copied().max() } else { Some(of_run.iter().sum()) };
            if budgets.run.get(metric).is_some_and(|limit| total.is_some_and(|total| total > limit)) {
                count += 1;
            }
        }
        count
    };
    let stands = |reading: &Spending, breach: &Spending| {
        let ended = waivers.iter().any(|waiver| waiver.series == breach.series && waiver.at > breach.at);
        breach.series == reading.series && before(breach, reading) && count(breach) > 0 && !ended
    };
    list.iter().map(|one| (one.at.clone(), count(one), list.iter().any(|other| stands(one, other)))).collect()
}

proptest! {
    #[test]
    fn the_overlay_says_what_every_reading_would_find_by_itself(
        parts in prop::collection::vec((0i64..30, 0u8..3, 0u8..3, any::<[Option<u8>; 6]>()), 0..12),
        waived in prop::collection::vec((0i64..30, 0u8..3), 0..4),
        limits in any::<[[Option<u8>; 6]; 2]>(),
    ) {
        let sum = |list: &[Option<u8>; 6]| {
            let mut found = Amounts::default();
            for (metric, amount) in Metric::ALL.into_iter().zip(list) {
                amount.iter().for_each(|amount| found.set(metric, u64::from(*amount)));
            }
            found
        };
        let place = |second, line| FiledAt { line, ..at(second) };
        let named = |number: u8| series(["s", "t", "u"][usize::from(number)]);
        let list: Vec<Spending> = parts.iter().zip(0u32..).map(|((second, name, run, amounts), line)| Spending {
            at: place(*second, line),
            series: named(*name),
            run: RunId::parse(["", "r", "q"][usize::from(*run)]),
            amounts: sum(amounts),
            repeats: false,
            is_copy: false,
        }).collect();
        let waivers: Vec<Waiver> =
            waived.iter().map(|(second, name)| Waiver { at: place(*second, 99), series: named(*name) }).collect();
        let budgets = Budgets { task: sum(&limits[0]), run: sum(&limits[1]), require_usage: RequireUsage::No };
        let overlay = BudgetOverlay::of(list.clone(), waivers.clone(), &budgets);
        let mut backwards = list.clone();
        backwards.reverse();
        let other = BudgetOverlay::of(backwards, waivers.clone(), &budgets);
        for (at, count, stands) in slowly(&list, &waivers, &budgets) {
            let judged = overlay.reading(&at).unwrap();
            prop_assert_eq!((judged.breaches.len(), judged.standing.is_some()), (count, stands), "{:?}", at);
            prop_assert_eq!(other.reading(&at).unwrap(), judged, "the order of arrival means nothing");
        }
    }
}

#[test]
fn what_is_read_and_written_is_summed_apart() {
    let overlay = BudgetOverlay::of(vec![spent(1, &[(IoRead, 3), (IoWrite, 4)])], Vec::new(), &of_run(&[(IoRead, 2)]));
    assert_eq!(told(&overlay, 1), [("run", "total_io_read_bytes", Some(3), 2)]);
}

/// The overlay of ledger lines of one node, with this token limit for a run.
fn of_lines(lines: &[String], limit: u64) -> BudgetOverlay {
    let ledger = parse(&RepoPath::from_git("n/l"), lines.concat().as_bytes());
    assert_eq!(ledger.problems, []);
    let node = RepoPath::from_git("n");
    BudgetOverlay::of_ledgers([(&node, &[ledger][..])], &of_run(&[(Tokens, limit)]))
}

fn line(second: u32, tokens: u64, more: &str) -> String {
    format!(
        "{{\"scenario\":\"s\",\"codeSha\":\"4b825dc642cb6eb9a060e54bf8d69288fbee4904\",\"run\":\"r\",{more}\"usage\":{{\"promptTokens\":{tokens},\
         \"completionTokens\":0,\"totalTokens\":{tokens},\"source\":\"x\"}},\"ts\":\"1970-01-01T00:00:{second:02}.000Z\"}}\n"
    )
}

fn of_r(overlay: &BudgetOverlay) -> Option<u64> {
    overlay.runs()[&RunId::parse("r").unwrap()].get(Tokens)
}

#[test]
fn a_line_that_stands_twice_and_a_reading_filed_again_under_its_key_are_spent_once() {
    let keyed = |second| line(second, 5, "\"key\":\"k\",");
    let overlay = of_lines(&[line(1, 5, ""), line(1, 5, ""), keyed(2), keyed(3), keyed(3)], 100);
    assert_eq!(of_r(&overlay), Some(10));
    let other = of_lines(&[keyed(2), line(3, 6, "\"key\":\"k\","), line(4, 5, "\"key\":\"k\",\"attempt\":2,")], 100);
    assert_eq!(of_r(&other), Some(16), "another payload and another attempt are other readings");
}

#[test]
fn what_is_filed_again_under_its_key_fails_with_the_first_one_and_breaches_nothing_itself() {
    let keyed = |second| line(second, 5, "\"key\":\"k\",");
    let overlay = of_lines(&[keyed(2), keyed(3)], 4);
    let second = overlay.reading(&FiledAt { line: 2, ..at(3) }).unwrap();
    assert_eq!((second.breaches.len(), second.standing.as_ref()), (0, Some(&at(2))));
}

#[test]
fn a_retracted_reading_is_spent_all_the_same_and_its_breach_stands() {
    let retraction =
        "{\"retracts\":\"1970-01-01T00:00:01.000Z\",\"scenario\":\"s\",\"ts\":\"1970-01-01T00:00:02.000Z\"}\n"
            .to_owned();
    let overlay = of_lines(&[line(1, 5, ""), retraction], 4);
    assert_eq!(of_r(&overlay), Some(5));
    assert!(overlay.standing(&series("s")).is_some() && overlay.is_run_breached(&RunId::parse("r").unwrap()));
}

#[test]
fn a_waiver_is_read_from_its_line_and_one_that_lacks_its_reason_counts_for_nothing() {
    let waiver = |reason: &str| {
        format!(
            "{{\"decision\":\"waive-budget\",\"scenario\":\"s\",{reason}\"by\":\"me\",\"ts\":\"1970-01-01T00:00:02.000Z\"}}\n"
        )
    };
    let stands = |reason| of_lines(&[line(1, 5, ""), waiver(reason)], 4).standing(&series("s")).is_some();
    assert!(!stands("\"reason\":\"because\","));
    assert!(stands(""));
}

#[test]
fn a_directory_that_no_journal_can_spell_has_its_limits_too() {
    let node = RepoPath::from_git(b"n\xff".to_vec());
    let ledger = parse(&RepoPath::from_git("l"), line(1, 5, "").as_bytes());
    let overlay = BudgetOverlay::of_ledgers([(&node, &[ledger][..])], &of_run(&[(Tokens, 4)]));
    assert!(overlay.standing(&SpendingSeries::new(&node, "s")).is_some());
}
