//! Removes known secrets from texts without recognisable URLs. A program that was given a URL repeats parts of it (`unable
//! to look up me:secret@host`), and no pattern recognises such parts. Pure.

use super::scrub::host_begins;

/// A shorter part of a URL occurs in many words by chance, and is removed only together with its surroundings.
const SHORTEST: usize = 4;

/// Replaces a text that may hold a secret with unknown ends.
const UNTOLD: &str = "its output may hold parts of a password, and is not repeated";

/// The secret parts of some URLs.
#[derive(Clone, Debug, Default)]
pub struct Withheld {
    /// Longest first.
    parts: Vec<String>,
    /// A URL could not be split into parts.
    all: bool,
}

impl Withheld {
    /// The secret parts of these URLs.
    pub fn of(urls: impl Iterator<Item = impl AsRef<str>>) -> Self {
        let mut withheld = Self::default();
        for url in urls {
            withheld.add(url.as_ref());
        }
        withheld.parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
        withheld.parts.dedup();
        withheld
    }

    /// Whether there are no secret parts.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && !self.all
    }

    /// `text` without the secret parts.
    pub(crate) fn cleared(&self, text: &str) -> String {
        if self.all && !text.is_empty() {
            return UNTOLD.to_owned();
        }
        let mut text = text.to_owned();
        for part in &self.parts {
            let goes = part.ends_with('@') || part.starts_with(['?', '#', ';']);
            text = text.replace(part, if goes { "" } else { "…" });
        }
        text
    }

    fn add(&mut self, url: &str) {
        let (scheme, word) = url.split_once("//").unwrap_or(("", url));
        let Some(begin) = host_begins(word) else {
            self.all = true;
            return;
        };
        let user = word[..begin].trim_end_matches('@');
        if let Some((_, password)) = user.split_once(':') {
            self.part(&word[..begin]);
            self.word(password);
        } else if scheme.starts_with("http") && begin > 0 {
            // a token in the place of a user name
            self.part(&word[..begin]);
            self.word(user);
        }
        if let Some(at) = word[begin..].find(['?', '#', ';']) {
            let query = &word[begin + at..];
            self.part(query);
            for pair in query.split(['?', '#', ';', '&']) {
                self.word(pair.split_once('=').map_or(pair, |(_, value)| value));
            }
        }
    }

    fn word(&mut self, word: &str) {
        if word.len() >= SHORTEST {
            self.part(word);
        }
    }

    /// Adds the part as written, and percent-decoded.
    fn part(&mut self, part: &str) {
        let read = decoded(part);
        if read != part {
            self.parts.push(read);
        }
        self.parts.push(part.to_owned());
    }
}

/// A text with `%41` and the like decoded.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let hex = behind.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_url_holds_is_taken_out_of_what_looks_like_none() {
        for (url, text, shown) in [
            ("git://me:SECRET@h:9/x", "unable to look up me:SECRET@h:9 (SECRET)", "unable to look up h:9 (…)"),
            ("git://me:S%45CRET@h:9/x", "me:SECRET@h and S%45CRET", "h and …"),
            ("http://h/x;password=SECRET", "'http://h/x;password=SECRET/' SECRET", "'http://h/x/' …"),
            ("http://h/x?a=SECRET&b=1", "SECRET for http://h/x?a=SECRET&b=1", "… for http://h/x"),
            ("https://ghp_token@h/x", "ghp_token@h ghp_token", "h …"),
            ("http://me:p@ss/SECRET@h:9/x", "unable to access 'http://ss/SECRET@h:9/x/'", UNTOLD),
            ("ssh://git@h/a", "git@h: denied", "git@h: denied"),
            ("https://h/a@v1", "h/a@v1 is not there", "h/a@v1 is not there"),
            ("git@h:x", "git@h: denied", "git@h: denied"),
        ] {
            assert_eq!(Withheld::of([url].iter()).cleared(text), shown, "{url}");
        }
        assert!(Withheld::of(["/srv/a.git", "https://h/x"].iter()).is_empty());
    }
}
