//! A slow and obvious second implementation of claims.md: a list of every claim ever given, searched from its start at
//! every question.

use super::super::ClaimTerms;
use super::ClaimCommand;
use crate::features::claims::model::{Claim, ClaimSeries, ClaimToken};

struct Given {
    series: ClaimSeries,
    owner: String,
    token: ClaimToken,
    attempt: u32,
    run: Option<String>,
    until: i64,
    /// The step that ended it.
    end: Option<&'static str>,
}

#[derive(Default)]
pub struct Oracle {
    given: Vec<Given>,
}

fn is_tagged(series: &ClaimSeries) -> bool {
    ["n/t", "n/u"].contains(&series.to_string().as_str())
}

/// Whether two different paths collide.
fn collide(one: &ClaimSeries, other: &ClaimSeries) -> bool {
    let mut both = [one.to_string(), other.to_string()];
    both.sort();
    both == ["path src", "path src/*.rs"]
}

impl Oracle {
    pub fn meet(&mut self, command: &ClaimCommand, terms: &ClaimTerms) -> String {
        let now = terms.now.millis;
        match command {
            ClaimCommand::Take(claim, force) => self.take(claim, *force, terms),
            ClaimCommand::Renew { token, until } => match self.own(*token) {
                Err(why) => why,
                Ok(index) if now > self.given[index].until => "expired".into(),
                Ok(index) => {
                    self.given[index].until = until.millis;
                    self.say("renewed", index, false)
                }
            },
            ClaimCommand::Release { token } => match self.own(*token) {
                Err(why) => why,
                Ok(index) => self.end("released", index, false),
            },
            ClaimCommand::Force { series } => match self.open(series) {
                None => "not held".into(),
                Some(index) => self.end("forced", index, false),
            },
            ClaimCommand::File { series, token, keep } => self.file(series, *token, *keep, now),
        }
    }

    fn take(&mut self, taking: &Claim, force: bool, terms: &ClaimTerms) -> String {
        let now = terms.now.millis;
        let mut attempt = 1;
        let mut word = "taken";
        let mut taken_over = None;
        for given in self.given.iter().filter(|given| given.end.is_none() && collide(&given.series, &taking.series)) {
            if now <= given.until {
                return "held".into();
            }
            if now <= given.until + terms.limits.grace {
                return "in grace".into();
            }
        }
        if let Some(index) = self.open(&taking.series) {
            if now <= self.given[index].until {
                return "held".into();
            }
            if now <= self.given[index].until + terms.limits.grace {
                return "in grace".into();
            }
            word = "reclaimed";
            attempt = self.given[index].attempt + 1;
            taken_over = Some(index);
        } else if let Some(last) = self.given.iter().rfind(|given| given.series == taking.series)
            && last.end != Some("filed")
        {
            attempt = last.attempt;
        }
        if attempt > terms.limits.max_attempts && !force {
            return "attempts".into();
        }
        if self.is_capped(taking, terms) {
            return "capped".into();
        }
        if let Some(index) = taken_over {
            self.given[index].end = Some("lost");
        }
        self.given.push(Given {
            series: taking.series.clone(),
            owner: taking.owner.clone(),
            token: taking.token,
            attempt,
            run: taking.run.as_ref().map(ToString::to_string),
            until: taking.until.millis,
            end: None,
        });
        self.say(word, self.given.len() - 1, false)
    }

    fn is_capped(&self, taking: &Claim, terms: &ClaimTerms) -> bool {
        let (mut of_owner, mut of_run, mut of_tag) = (0, 0, 0);
        for given in &self.given {
            if given.end.is_some() || terms.now.millis > given.until + terms.limits.grace {
                continue;
            }
            of_owner += usize::from(given.owner == taking.owner);
            of_run += usize::from(given.run.is_some() && given.run == taking.run.as_ref().map(ToString::to_string));
            of_tag += usize::from(is_tagged(&given.series));
        }
        of_owner >= 2 || (taking.run.is_some() && of_run >= 1) || (is_tagged(&taking.series) && of_tag >= 1)
    }

    fn file(&mut self, series: &ClaimSeries, token: Option<ClaimToken>, keep: bool, now: i64) -> String {
        let Some(token) = token else {
            return match self.open(series) {
                Some(index) if now <= self.given[index].until => "held".into(),
                _ => "nothing false".into(),
            };
        };
        if self.given.iter().any(|given| given.token == token && given.series != *series) {
            return "other".into();
        }
        match self.own(token) {
            Err(why) => why,
            Ok(index) => {
                let late = now > self.given[index].until;
                if keep {
                    return format!("nothing {late}");
                }
                self.end("filed", index, late)
            }
        }
    }

    /// The claim on a series that has not ended.
    fn open(&self, series: &ClaimSeries) -> Option<usize> {
        self.given.iter().position(|given| given.series == *series && given.end.is_none())
    }

    /// The claim that a token still holds.
    fn own(&self, token: ClaimToken) -> Result<usize, String> {
        match self.given.iter().position(|given| given.token == token) {
            None => Err("unknown".into()),
            Some(index) => match self.given[index].end {
                None => Ok(index),
                Some("lost") => Err("lost".into()),
                Some(_) => Err("ended".into()),
            },
        }
    }

    fn end(&mut self, word: &'static str, index: usize, late: bool) -> String {
        self.given[index].end = Some(word);
        self.say(word, index, late)
    }

    fn say(&self, word: &str, index: usize, late: bool) -> String {
        let given = &self.given[index];
        format!("{word} {} {} {} {late}", given.owner, given.attempt, given.until)
    }
}
