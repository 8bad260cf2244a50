//! `eval --began`: refuses to file if the measured content changed since `begin`.

use crate::app::site::Site;
use crate::app::site::begun::content;
use crate::error::{Error, Refusal, Result};
use crate::model::began::{BeganToken, BegunContent, SinceBegin};
use crate::model::node::Declared;
use crate::model::reference::directory;
use crate::text::shell;
use bstr::ByteSlice;

/// Most changed entries that a refusal names.
const MAX_NAMED: usize = 5;

/// What `begin` saw, and what is filed now.
#[derive(Clone)]
pub(crate) struct BegunFiling<'a> {
    pub(crate) token: BeganToken,
    pub(crate) scenarios: Vec<Declared<'a>>,
    /// The arguments of `begin` that select these scenarios.
    pub(crate) words: Vec<String>,
}

impl<'a> BegunFiling<'a> {
    pub(crate) fn of_one(token: BeganToken, one: Declared<'a>) -> Self {
        let word = format!("{}/{}", directory(&one.node.dir), one.scenario.name);
        Self { token, scenarios: vec![one], words: vec![word] }
    }

    /// Checks the content that the stamp is made of.
    ///
    /// # Errors
    /// Refused if the content changed, or if the token is of other scenarios.
    pub(crate) fn check(&self, site: &dyn Site) -> Result<()> {
        self.refuse(&content(site, &*site.worktree()?, &self.scenarios)?)
    }

    /// Checks the content as it is now. Under the lock this is the last look before a line is written.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub(crate) fn check_again(&self, site: &dyn Site) -> Result<()> {
        let nodes = site.reread()?;
        let now = |one: &Declared<'_>| {
            let node = nodes.iter().find(|node| node.dir == one.node.dir)?;
            let scenario = node.scenario(&one.scenario.name)?;
            Some(Declared { node, scenario })
        };
        let scenarios: Vec<_> = self.scenarios.iter().filter_map(now).collect();
        self.refuse(&content(site, &*site.worktree_now()?, &scenarios)?)
    }

    fn refuse(&self, now: &BegunContent) -> Result<()> {
        let words: String = self.words.iter().map(|word| format!(" {}", shell::word(word))).collect();
        let argv = || std::iter::once("begin").chain(self.words.iter().map(String::as_str));
        match now.since(&self.token) {
            SinceBegin::Same => Ok(()),
            SinceBegin::OtherSelection => Err(Error::refused("the token of --began is of other scenarios")
                .because(Refusal::Invalid)
                .argv(argv())
                .hint(format!("select the same scenarios before and after the measurement: yatsu-hook begin{words}"))),
            SinceBegin::Changed { names, gone } => {
                Err(Error::refused(format!("changed since begin: {}", changed(&names, gone)))
                    .because(Refusal::Stale)
                    .argv(argv())
                    .hint(format!("measure again, from the start: yatsu-hook begin{words}")))
            }
        }
    }
}

/// The changed entries in words, for example `src/a.py, src/b.py and 1 that is gone`.
fn changed(names: &[impl AsRef<[u8]>], gone: usize) -> String {
    let mut parts: Vec<String> =
        names.iter().take(MAX_NAMED).map(|name| name.as_ref().to_str_lossy().into_owned()).collect();
    let more = names.len().saturating_sub(MAX_NAMED);
    parts.extend((more > 0).then(|| format!("and {more} more")));
    parts.extend((gone > 0).then(|| format!("and {gone} that no list names now")));
    match parts.is_empty() {
        true => "what the scenarios govern, or their text".to_owned(),
        false => parts.join(", "),
    }
}
