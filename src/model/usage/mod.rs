//! The cost of a measurement. Input: the JSON object under `usage` of a reading, or a `--usage` file. Output: a consistent
//! [`Usage`], or the first fault.

mod read;

pub(crate) use read::{parse, parse_report};

use crate::finding::Spent;

/// The kinds of cost, in the order in which a breach of a single reading names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// The peak resident set, in bytes.
    Rss,
    /// User time, in hundredths of a second.
    CpuUser,
    /// System time, in hundredths of a second.
    CpuSystem,
    /// Bytes read.
    IoRead,
    /// Bytes written.
    IoWrite,
    /// Tokens of prompt and completion together.
    Tokens,
}

impl Metric {
    /// Every metric, in the order of a single reading's breaches.
    pub(crate) const ALL: [Self; 6] =
        [Self::Rss, Self::CpuUser, Self::CpuSystem, Self::IoRead, Self::IoWrite, Self::Tokens];

    /// The same in the order of a run's breaches.
    pub(crate) const OF_RUN: [Self; 6] =
        [Self::Tokens, Self::Rss, Self::CpuUser, Self::CpuSystem, Self::IoRead, Self::IoWrite];

    /// The total of two amounts: the maximum for a resident set, the sum for the others. Never wraps.
    pub(crate) fn together(self, one: u64, other: u64) -> u64 {
        match self {
            Self::Rss => one.max(other),
            _ => one.saturating_add(other),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts([Option<u64>; 6]);

impl Amounts {
    pub(crate) fn get(&self, metric: Metric) -> Option<u64> {
        self.0[metric as usize]
    }

    pub(crate) fn set(&mut self, metric: Metric, amount: u64) {
        self.0[metric as usize] = Some(amount);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Raises every amount to the amount of `other` if that is higher.
    pub(crate) fn raise(&mut self, other: &Self) {
        for metric in Metric::ALL {
            if let Some(amount) = other.get(metric) {
                self.set(metric, self.get(metric).unwrap_or(0).max(amount));
            }
        }
    }

    /// Adds `more`. An amount that only one side has stays unchanged.
    pub(crate) fn add(&mut self, more: &Self) {
        for metric in Metric::ALL {
            if let Some(amount) = more.get(metric) {
                let before = self.get(metric);
                self.set(metric, before.map_or(amount, |before| metric.together(before, amount)));
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenCount {
    pub prompt: u64,
    pub completion: u64,
    /// The sum of both. A count with a sum that overflows is invalid.
    total: u64,
    /// The counter, or the way of estimating; not blank.
    pub source: String,
}

/// The name of the estimate from characters.
pub(crate) const ESTIMATE: &str = "char_count_div4_estimate_v1";

/// The number of Unicode scalar values in a text; for bytes that are not UTF-8, the number of bytes that could begin one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Characters(pub u64);

impl Characters {
    /// Counts the next bytes of the text; a character may be split across two parts.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let begins = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
        self.0 = self.0.saturating_add(bytes.iter().filter(begins).count() as u64);
    }
}

impl TokenCount {
    /// The count; `None` if the sum overflows, or the source is blank.
    pub(crate) fn new(prompt: u64, completion: u64, source: &str) -> Option<Self> {
        let total = prompt.checked_add(completion)?;
        (!source.trim().is_empty()).then(|| Self { prompt, completion, total, source: source.to_owned() })
    }

    /// A quarter of the characters of each text, rounded up.
    pub(crate) fn estimate(prompt: Characters, completion: Characters) -> Self {
        let (prompt, completion) = (prompt.0.div_ceil(4), completion.0.div_ceil(4));
        Self { prompt, completion, total: prompt.saturating_add(completion), source: ESTIMATE.to_owned() }
    }

    /// Prompt and completion together.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }
}

/// The known cost of one measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Everything but the tokens.
    pub resources: Amounts,
    /// The tokens, if they were counted or estimated.
    pub tokens: Option<TokenCount>,
}

impl Usage {
    pub(crate) fn is_empty(&self) -> bool {
        self.resources.is_empty() && self.tokens.is_none()
    }

    /// Every amount by its name in a ledger line, including three for tokens.
    pub(crate) fn named(&self) -> Vec<(&'static str, u64)> {
        let resource = |metric: Metric| Some((read::resource_name(metric)?, self.resources.get(metric)?));
        let mut named: Vec<_> = Metric::ALL.into_iter().filter_map(resource).collect();
        if let Some(tokens) = &self.tokens {
            let amounts = [tokens.prompt, tokens.completion, tokens.total];
            named.extend(read::token_amount_names().into_iter().zip(amounts));
        }
        named
    }

    /// Everything in it, for output.
    pub(crate) fn spent(&self) -> Spent {
        Spent {
            amounts: self.named().into_iter().collect(),
            source: self.tokens.as_ref().map(|tokens| tokens.source.clone()),
        }
    }

    /// Every amount in it; for tokens their total.
    pub(crate) fn amounts(&self) -> Amounts {
        let mut all = self.resources;
        if let Some(tokens) = &self.tokens {
            all.set(Metric::Tokens, tokens.total());
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sums_near_the_end_of_the_numbers_saturate_and_the_resident_set_is_a_peak() {
        let mut total = Amounts::default();
        let mut one = Amounts::default();
        for metric in Metric::ALL {
            one.set(metric, u64::MAX - 1);
        }
        total.add(&one);
        total.add(&one);
        assert_eq!(total.get(Metric::Rss), Some(u64::MAX - 1));
        for metric in [Metric::CpuUser, Metric::CpuSystem, Metric::IoRead, Metric::IoWrite, Metric::Tokens] {
            assert_eq!(total.get(metric), Some(u64::MAX), "{metric:?}");
        }
    }

    #[test]
    fn what_nobody_observed_stays_unobserved() {
        let mut total = Amounts::default();
        let mut one = Amounts::default();
        one.set(Metric::IoRead, 0);
        total.add(&one);
        assert_eq!((total.get(Metric::IoRead), total.get(Metric::IoWrite)), (Some(0), None));
        assert!(Amounts::default().is_empty() && !total.is_empty());
    }

    #[test]
    fn an_estimate_counts_characters_not_bytes() {
        let of = |text: &str| {
            let mut count = Characters::default();
            count.add(text.as_bytes());
            count
        };
        let count = TokenCount::estimate(of("ab"), of("h\u{e9}llo"));
        assert_eq!((count.prompt, count.completion, count.total()), (1, 2, 3));
        assert_eq!(TokenCount::estimate(of(""), of("")).total(), 0);
        assert_eq!(TokenCount::estimate(of("\u{1f980}\u{1f980}\u{1f980}\u{1f980}"), of("")).prompt, 1);
    }

    #[test]
    fn a_count_needs_a_sum_and_a_source() {
        assert_eq!(TokenCount::new(3, 4, "x").map(|count| count.total()), Some(7));
        assert_eq!(TokenCount::new(u64::MAX, 1, "x"), None);
        assert_eq!(TokenCount::new(1, 1, " "), None);
    }

    proptest! {
        #[test]
        fn the_order_of_adding_does_not_matter(mut list in prop::collection::vec(any::<[Option<u64>; 6]>(), 0..6)) {
            let sum = |list: &[[Option<u64>; 6]]| {
                let mut total = Amounts::default();
                list.iter().for_each(|amounts| total.add(&Amounts(*amounts)));
                total
            };
            let forwards = sum(&list);
            list.reverse();
            prop_assert_eq!(sum(&list), forwards);
        }
    }
}
