//! Finds the one URL of a remote for both reading and pushing. git may fetch from one place and push to others (`pushurl`,
//! `pushInsteadOf`, several URLs): other machines would then not see a change, and two could hold one claim. So the push URL
//! is used for both. A remote with several push URLs is refused.

use super::super::config::{GitConfig, ScopedConfig};
use super::super::is_remote_name;
use crate::error::{Error, Result};
use crate::text::withheld::Withheld;
use bstr::{BString, ByteSlice};
use sha2::{Digest, Sha256};

pub(super) struct SingleUrl {
    /// The URL, before git rewrites it by `insteadOf`.
    pub(super) url: BString,
    /// A hash of the URL: unique for the URL, without revealing it.
    pub(super) place: String,
    /// Secrets in the configured URLs, which must not be shown.
    pub(super) withheld: Withheld,
}

impl SingleUrl {
    /// Finds the URL of `remote`.
    ///
    /// # Errors
    /// Usage if the configuration has no such remote, or one with several push URLs.
    pub(super) fn of(config: &ScopedConfig, remote: &str) -> Result<Self> {
        let config = &config.whole;
        let is_name = is_remote_name(remote) && !remote.starts_with('-') && !remote.contains(char::is_control);
        let values = |name: &str| listed(config, &format!("remote.{remote}.{name}"));
        let (urls, push_urls) = if is_name { (values("url"), values("pushurl")) } else { Default::default() };
        if urls.is_empty() {
            return Err(unknown(config, remote));
        }
        let mut pushed: Vec<BString> = match push_urls.as_slice() {
            [] => urls.iter().map(|url| rewritten(config, url)).collect(),
            own => own.to_vec(),
        };
        pushed.dedup();
        let [url] = pushed.as_slice() else {
            let error = format!("git pushes to {} places for the remote `{remote}`: one is needed here", pushed.len());
            return Err(Error::usage(error).hint(format!("git config --get-regexp '^remote[.]{remote}[.](push)?url$' shows them: keep one, or name another remote")));
        };
        let place = Sha256::digest(url).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let bases = config.subsections("url", &["insteadof", "pushinsteadof"]);
        let proxies = [listed(config, "http.proxy"), values("proxy")].concat();
        let all = urls.iter().chain(&push_urls).chain(&bases).chain(&proxies);
        let withheld = Withheld::of(all.map(|url| url.to_str_lossy()));
        Ok(Self { url: url.clone(), place, withheld })
    }
}

/// All values of a key; an empty one clears the values before it.
fn listed(config: &GitConfig, key: &str) -> Vec<BString> {
    let mut listed = Vec::new();
    for value in config.values().filter(|(name, _)| *name == key).filter_map(|(_, value)| value) {
        if value.is_empty() { listed.clear() } else { listed.push(value.clone()) }
    }
    listed
}

/// The URL as `pushInsteadOf` rewrites it: the longest matching prefix counts.
fn rewritten(config: &GitConfig, url: &BString) -> BString {
    let rule = |(key, value): (&BString, Option<&BString>)| {
        let base = key.strip_prefix(b"url.")?.strip_suffix(b".pushinsteadof")?.to_vec();
        let rest = url.strip_prefix(value?.as_slice())?.to_vec();
        Some((base, rest))
    };
    // with equal lengths git takes the first
    let best = config.values().filter_map(rule).min_by_key(|(_, rest)| rest.len());
    best.map_or_else(|| url.clone(), |(base, rest)| [base, rest].concat().into())
}

fn unknown(config: &GitConfig, remote: &str) -> Error {
    let known = config.subsections("remote", &["url"]);
    let known: Vec<_> = known.iter().map(|name| name.to_str_lossy()).collect();
    // a URL may hold a password
    let error = if remote.contains(['@', ':', '?', ';']) {
        Error::usage("a remote is named by its name in this repository's git configuration, not by a URL")
    } else {
        Error::usage(format!("there is no remote `{remote}` in this repository's git configuration"))
    };
    match known.as_slice() {
        [] => error.hint("git remote add origin URL"),
        known => {
            let new = if let [one] = known { crate::text::shell::word(one) } else { "NEW".into() };
            error.hint(format!("name one of these: {}", known.join(", "))).hint(format!(
                "if it was renamed: `yatsu-hook share on {new}` for evidence, `git config yatsu.claims.shared {new}` for claims"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(config: &str) -> Result<SingleUrl> {
        let whole = GitConfig::parse(config.as_bytes());
        SingleUrl::of(&ScopedConfig { whole, ..ScopedConfig::default() }, "o")
    }

    #[test]
    fn the_place_that_is_pushed_to_is_the_place_that_is_looked_at() {
        for (config, url) in [
            ("remote.o.url\na\0", "a"),
            ("remote.o.url\na\0remote.o.pushurl\nb\0", "b"),
            ("remote.o.url\na\0remote.o.url\n\0remote.o.url\nc\0", "c"),
            (
                "remote.o.url\nhttps://h/x\0url.ssh://h/.pushinsteadof\nhttps://h/\0url.no.pushinsteadof\nhttps:\0",
                "ssh://h/x",
            ),
            (
                "remote.o.url\nhttps://h/x\0url.ssh://h/.pushinsteadof\nhttps://h/\0remote.o.pushurl\nhttps://h/y\0",
                "https://h/y",
            ),
        ] {
            let Ok(place) = single(config) else { panic!("{config}: one place") };
            assert_eq!(place.url, url, "{config}");
        }
        for config in
            ["remote.o.url\na\0remote.o.url\nb\0", "remote.o.url\na\0remote.o.pushurl\na\0remote.o.pushurl\nb\0"]
        {
            let Err(error) = single(config) else { panic!("{config}: two places") };
            assert!(error.message.contains("git pushes to 2 places"), "{}", error.message);
        }
        assert!(single("remote.o.pushurl\na\0").is_err());
    }

    #[test]
    fn nothing_is_shown_of_what_any_configured_url_holds() {
        let secret = "https://me:SECRET@h/";
        for config in [
            format!("remote.o.url\n{secret}\0"),
            format!("remote.o.url\na\0remote.o.pushurl\n{secret}\0"),
            format!("remote.o.url\nh:x\0url.{secret}.insteadof\nh:\0"),
            format!("remote.o.url\nh:x\0url.{secret}.pushinsteadof\nh:\0"),
            format!("remote.o.url\na\0http.proxy\n{secret}\0"),
            format!("remote.o.url\na\0remote.o.proxy\n{secret}\0"),
        ] {
            let Ok(place) = single(&config) else { panic!("{config}: one place") };
            assert_eq!(place.withheld.cleared("me:SECRET@h said SECRET"), "h said …", "{config}");
            assert!(!place.place.contains("SECRET"));
        }
    }

    #[test]
    fn a_url_in_place_of_a_name_is_not_repeated() {
        for remote in ["http://a:b@h/x", "a:b@h", "http://h/x;password=b", "a@b"] {
            let config = ScopedConfig { whole: GitConfig::parse(b"remote.o.url\na\0"), ..ScopedConfig::default() };
            let error = SingleUrl::of(&config, remote).err().expect("no name");
            assert!(error.message.contains("not by a URL") && !error.message.contains(remote), "{}", error.message);
        }
    }
}
