//! A slow and obvious judge of claims, keys, budgets, waivers, redactions and moves. It knows them only from
//! docs/claims.md. It keeps every event in plain lists and searches them from the start for every question; it shares
//! nothing with the program.

use std::collections::{BTreeMap, BTreeSet};

/// The content of a reading without its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    pub pass: bool,
    pub note: usize,
    pub by: Option<String>,
    pub attempt: Option<u32>,
    pub key: Option<usize>,
    pub run: Option<usize>,
    pub cost: Option<u64>,
}

/// The content of a ledger line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    Reading(Payload),
    Withdraws(i64),
    Waives,
    /// A content that was removed and can no longer be read.
    Gone(Payload),
}

/// A line of a ledger. Copies of a line have its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub number: u64,
    pub at: i64,
    pub scenario: &'static str,
    pub says: Says,
}

/// A node in a work tree: the text of its scenarios, and its ledger.
#[derive(Clone, Debug, Default)]
pub struct Place {
    pub text: char,
    pub rows: Vec<Row>,
}

/// A work tree: its nodes by directory, and the limits of a reading and of a run.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub places: BTreeMap<String, Place>,
    pub task: u64,
    pub run: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Filed,
    GivenUp,
    TakenOver,
}

/// A claim that was given, with its time in the journal.
#[derive(Clone, Debug)]
pub struct Given {
    pub token: String,
    pub dir: String,
    pub scenario: &'static str,
    pub text: char,
    pub owner: String,
    pub attempt: u32,
    pub run: Option<usize>,
    pub from: i64,
    pub to: i64,
    pub lapsed: bool,
    pub end: Option<End>,
}

pub const SCENARIOS: [&str; 2] = ["s", "t"];
/// What is claimed beside scenarios: such a claim has no directory.
pub const OTHERS: [&str; 7] = [
    "key k",
    "path src",
    "path src/*.rs",
    "path src/new.rs",
    "path .spec/a/*.md",
    "path .spec/*/yatsu.md",
    "path docs/**",
];
pub const MOST_ATTEMPTS: u32 = 2;
pub const MOST_PER_OWNER: usize = 2;
pub const MOST_PER_RUN: usize = 1;

#[derive(Clone, Debug, Default)]
pub struct Judge {
    pub trees: Vec<Tree>,
    pub given: Vec<Given>,
}

/// A request to file a reading.
#[derive(Clone, Debug)]
pub struct Wish {
    pub tree: usize,
    pub dir: String,
    pub scenario: &'static str,
    pub token: Option<usize>,
    pub keep: bool,
    pub payload: Payload,
}

/// A breach by a reading, of its run's limit or of its own.
struct Breach<'t> {
    dir: &'t str,
    row: &'t Row,
    run: Option<usize>,
}

impl Tree {
    fn readings(&self) -> Vec<(&str, &Row, &Payload)> {
        let mut all = Vec::new();
        for (dir, place) in &self.places {
            for row in &place.rows {
                if let Says::Reading(payload) = &row.says {
                    all.push((dir.as_str(), row, payload));
                }
            }
        }
        all.sort_by_key(|(dir, row, _)| (row.at, *dir));
        all
    }

    /// The cost of a run up to and including this reading; copies count once.
    fn spent(&self, run: usize, until: Option<(&str, &Row)>) -> u64 {
        let mut seen = BTreeSet::new();
        let mut sum = 0;
        for (dir, row, payload) in self.readings() {
            if payload.run == Some(run) && seen.insert(row.number) {
                sum += payload.cost.unwrap_or(0);
            }
            if until.is_some_and(|(last, end)| last == dir && end.number == row.number) {
                break;
            }
        }
        sum
    }

    /// Every breach, waived or not.
    fn breaches(&self) -> Vec<Breach<'_>> {
        let mut found = Vec::new();
        for (dir, row, payload) in self.readings() {
            if payload.cost.is_some_and(|cost| cost > self.task) {
                found.push(Breach { dir, row, run: None });
            }
            let spends = payload.cost.is_some() || self.has_cost(payload.run, dir, row);
            if let Some(run) = payload.run.filter(|run| spends && self.spent(*run, Some((dir, row))) > self.run) {
                found.push(Breach { dir, row, run: Some(run) });
            }
        }
        found
    }

    /// Whether a run had a known cost by then, because only a known cost can pass a limit.
    fn has_cost(&self, run: Option<usize>, dir: &str, row: &Row) -> bool {
        run.is_some_and(|run| self.spent(run, Some((dir, row))) > 0)
    }

    fn is_waived(&self, breach: &Breach<'_>) -> bool {
        let waives =
            |row: &Row| row.says == Says::Waives && row.scenario == breach.row.scenario && row.at > breach.row.at;
        self.places[breach.dir].rows.iter().any(waives)
    }

    fn standing(&self) -> Vec<Breach<'_>> {
        self.breaches().into_iter().filter(|breach| !self.is_waived(breach)).collect()
    }

    pub fn is_over(&self, dir: &str, scenario: &str) -> bool {
        self.standing().iter().any(|breach| breach.dir == dir && breach.row.scenario == scenario)
    }

    fn is_run_over(&self, run: usize) -> bool {
        self.standing().iter().any(|breach| breach.run == Some(run))
    }

    /// The reading that counts: the latest one that was not withdrawn.
    pub fn latest(&self, dir: &str, scenario: &str) -> Option<(&Row, &Payload)> {
        let rows = &self.places[dir].rows;
        let withdrawn = |at: i64| rows.iter().any(|row| row.scenario == scenario && row.says == Says::Withdraws(at));
        let mut last = None;
        for row in rows.iter().filter(|row| row.scenario == scenario && !withdrawn(row.at)) {
            if let Says::Reading(payload) = &row.says {
                last = Some((row, payload));
            }
        }
        last
    }

    /// The verdict that counts, for every measured scenario.
    pub fn verdicts(&self) -> BTreeMap<(String, String), &'static str> {
        let mut found = BTreeMap::new();
        for dir in self.places.keys() {
            for scenario in SCENARIOS {
                let Some((row, payload)) = self.latest(dir, scenario) else { continue };
                // a later breach does not fail earlier readings
                let fails = |breach: &Breach<'_>| {
                    breach.dir == dir && breach.row.scenario == scenario && breach.row.at <= row.at
                };
                let over = self.standing().iter().any(fails);
                found.insert((dir.clone(), scenario.to_owned()), if payload.pass && !over { "pass" } else { "fail" });
            }
        }
        found
    }

    /// The cost of each run.
    pub fn runs(&self) -> BTreeMap<String, u64> {
        let costs = |run: &usize| self.readings().iter().any(|(.., payload)| payload.run == Some(*run));
        (0..2).filter(costs).map(|run| (format!("r{run}"), self.spent(run, None))).collect()
    }
}

impl Judge {
    fn open(&self, dir: &str, scenario: &str) -> Option<usize> {
        self.given.iter().position(|one| one.dir == dir && one.scenario == scenario && one.end.is_none())
    }

    /// The place of the claim on this scenario: here, or the node's place before it moved.
    fn place_of_claim(&self, tree: usize, dir: &str, scenario: &str, token: Option<usize>) -> String {
        if self.open(dir, scenario).is_some() {
            return dir.to_owned();
        }
        let places = &self.trees[tree].places;
        let mut moved: Vec<&Given> = Vec::new();
        for (index, one) in self.given.iter().enumerate() {
            let shown = token == Some(index);
            let same = one.text == places[dir].text && !one.lapsed;
            if one.end.is_none() && one.scenario == scenario && (shown || same) && !places.contains_key(&one.dir) {
                moved.push(one);
            }
        }
        moved.sort_by(|one, other| one.dir.cmp(&other.dir));
        moved.first().map_or(dir.to_owned(), |one| one.dir.clone())
    }

    /// The answer to a request for a claim; `number` will be the number of the claim.
    pub fn take(
        &self,
        tree: usize,
        dir: &str,
        scenario: &str,
        (owner, run, force): (&str, Option<usize>, bool),
    ) -> String {
        let here = &self.trees[tree];
        if here.is_over(dir, scenario) || run.is_some_and(|run| here.is_run_over(run)) {
            return "over".into();
        }
        self.take_free(&self.place_of_claim(tree, dir, scenario, None), scenario, (owner, run, force))
    }

    /// The answer where nothing but the claims is in the way.
    fn take_free(&self, place: &str, scenario: &str, (owner, run, force): (&str, Option<usize>, bool)) -> String {
        let (word, attempt) = match self.open(place, scenario).map(|index| &self.given[index]) {
            Some(one) if !one.lapsed => return "held".into(),
            Some(one) => ("reclaimed", one.attempt + 1),
            None => {
                let last = self.given.iter().rfind(|one| one.dir == place && one.scenario == scenario);
                ("taken", last.filter(|one| one.end != Some(End::Filed)).map_or(1, |one| one.attempt))
            }
        };
        if attempt > MOST_ATTEMPTS && !force {
            return "attempts".into();
        }
        let held = || self.given.iter().filter(|one| one.end.is_none() && !one.lapsed);
        let of_owner = held().filter(|one| one.owner == owner).count();
        let of_run = held().filter(|one| one.run.is_some() && one.run == run).count();
        if of_owner >= MOST_PER_OWNER || of_run >= MOST_PER_RUN {
            return "capped".into();
        }
        format!("{word} {attempt} {place} {scenario}")
    }

    /// Whether two claims on paths collide in a work tree.
    fn collide(&self, tree: usize, one: &str, other: &str) -> bool {
        let both = [one, other];
        let has = |what: &str| both.contains(&what);
        let is_below_src = |what: &str| what.starts_with("path src");
        let in_node = has("path .spec/a/*.md") && has("path .spec/*/yatsu.md");
        one != other
            && (both.into_iter().all(is_below_src) || in_node && self.trees[tree].places.contains_key(".spec/a"))
    }

    /// The answer to a request for a claim on a key or a path.
    pub fn take_other(
        &self,
        tree: usize,
        what: &'static str,
        (owner, run, force): (&str, Option<usize>, bool),
    ) -> String {
        let is_in_the_way = |one: &Given| one.end.is_none() && !one.lapsed && self.collide(tree, one.scenario, what);
        if self.given.iter().any(is_in_the_way) {
            return "held".into();
        }
        self.take_free("", what, (owner, run, force))
    }

    /// The answer of `claim next`: the first unmeasured scenario, by place and name, that is free.
    pub fn next(&self, tree: usize, owner: &str, run: Option<usize>) -> String {
        if run.is_some_and(|run| self.trees[tree].is_run_over(run)) {
            return "over".into();
        }
        for dir in self.trees[tree].places.keys() {
            for scenario in SCENARIOS {
                let missing = self.trees[tree].latest(dir, scenario).is_none();
                let answer = self.take(tree, dir, scenario, (owner, run, false));
                if missing && answer.contains(' ') {
                    return answer;
                }
            }
        }
        "nothing".into()
    }

    /// The answer to renewing or releasing.
    pub fn own(&self, token: usize, renews: bool) -> String {
        let one = &self.given[token];
        match one.end {
            Some(End::TakenOver) => "lost".into(),
            Some(_) => "ended".into(),
            None if renews && one.lapsed => "expired".into(),
            None => "done".into(),
        }
    }

    /// The claim that force ends.
    pub fn forced(&self, tree: usize, dir: &str, scenario: &str) -> Option<usize> {
        self.open(&self.place_of_claim(tree, dir, scenario, None), scenario)
    }

    /// The claim on a key or a path that force ends.
    pub fn forced_other(&self, what: &str) -> Option<usize> {
        self.open("", what)
    }

    /// The payload as filed under its claim, or why it cannot be.
    pub fn dressed(&self, wish: &Wish) -> Result<Payload, String> {
        let Some(token) = wish.token else { return Ok(wish.payload.clone()) };
        let (one, mut payload) = (&self.given[token], wish.payload.clone());
        if one.run.is_some() && payload.run.is_some() && one.run != payload.run {
            return Err("another run".into());
        }
        payload.attempt = Some(one.attempt);
        payload.run = payload.run.or(one.run);
        payload.by = Some(one.owner.clone());
        Ok(payload)
    }

    /// An earlier line with the same content, or the error that the key is used.
    fn before(&self, wish: &Wish, new: &Payload) -> Result<Option<Row>, String> {
        let tree = &self.trees[wish.tree];
        if new.key.is_none() {
            let same =
                |old: &Payload| (old.pass, old.note, old.run, old.cost) == (new.pass, new.note, new.run, new.cost);
            let latest = tree.latest(&wish.dir, wish.scenario);
            return Ok(latest.filter(|(_, old)| same(old)).map(|(row, _)| row.clone()));
        }
        let mut used = None;
        for row in tree.places[&wish.dir].rows.iter().filter(|row| row.scenario == wish.scenario) {
            let (Says::Reading(old) | Says::Gone(old)) = &row.says else { continue };
            if old.key == new.key && old.attempt == new.attempt {
                if old == new {
                    return Ok(Some(row.clone()));
                }
                used = Some(());
            }
        }
        used.map_or(Ok(None), |()| Err("used up".into()))
    }

    /// The answer to filing, and the claim that ends by it.
    pub fn file(&self, wish: &Wish) -> (String, Option<usize>) {
        if wish.token.is_some_and(|token| OTHERS.contains(&self.given[token].scenario)) {
            return ("other".into(), None);
        }
        let answer = self.dressed(wish).and_then(|new| Ok((self.before(wish, &new)?, new)));
        let (before, _) = match answer {
            Ok(found) => found,
            Err(why) => return (why, None),
        };
        let word = if before.is_some() { "already" } else { "filed" };
        let place = self.place_of_claim(wish.tree, &wish.dir, wish.scenario, wish.token);
        let Some(token) = wish.token else {
            let held = self.open(&place, wish.scenario).is_some_and(|index| !self.given[index].lapsed);
            return (if held && before.is_none() { "held".into() } else { word.into() }, None);
        };
        let one = &self.given[token];
        if one.dir != place || one.scenario != wish.scenario {
            return ("other".into(), None);
        }
        let ends = Some(token).filter(|_| !wish.keep);
        let of_its_own = |row: &Row| match (one.end, &row.says) {
            (Some(End::Filed), _) => row.at <= one.to,
            (_, Says::Reading(old) | Says::Gone(old)) => {
                old.attempt == Some(one.attempt) && (one.from..=one.to).contains(&row.at)
            }
            _ => false,
        };
        match one.end {
            None if one.lapsed => (format!("{word} late"), ends),
            None => (word.into(), ends),
            Some(_) if before.as_ref().is_some_and(of_its_own) => (word.into(), None),
            Some(End::TakenOver) => ("lost".into(), None),
            Some(_) => ("ended".into(), None),
        }
    }

    /// The answer to waiving.
    pub fn waive(&self, tree: usize, dir: &str, scenario: &str) -> &'static str {
        let tree = &self.trees[tree];
        let all = tree.breaches();
        let own: Vec<&Breach<'_>> =
            all.iter().filter(|breach| breach.dir == dir && breach.row.scenario == scenario).collect();
        match own.iter().any(|breach| !tree.is_waived(breach)) {
            true => "waived",
            false if own.is_empty() => "not over",
            false => "already",
        }
    }

    /// The held claims.
    pub fn held(&self) -> BTreeSet<String> {
        let open = self.given.iter().filter(|one| one.end.is_none());
        open.map(|one| {
            let state = if one.lapsed { "lapsed" } else { "live" };
            format!("{} {} {} {} {state}", one.dir, one.scenario, one.owner, one.attempt)
        })
        .collect()
    }
}
