//! Removes private parts from URLs in a text. No message of this program, and no repeated message of git, may show a
//! password, a token in the place of a user name, or the query of a signed URL. Pure, linear in the text.

use std::borrow::Cow;

/// Characters after a URL in a sentence that are no part of it: quotes, brackets, and punctuation.
const AFTER: [char; 11] = ['\'', '"', '`', '>', ')', ']', '}', ',', '.', ';', ':'];

/// `text` with every URL reduced: without the part before the `@` of its host, without its query and fragment. If the end
/// of a password is ambiguous, only the scheme stays.
pub fn scrub(text: &str) -> Cow<'_, str> {
    if !text.contains("://") {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("://") {
        let (before, url) = rest.split_at(at + 3);
        out.push_str(before);
        let word = &url[..url.find(|c: char| c.is_whitespace() || c.is_control()).unwrap_or(url.len())];
        let Some(begin) = host_begins(word) else {
            out.push('…');
            rest = &url[word.trim_end_matches(AFTER).len()..];
            continue;
        };
        // a URL within this URL is handled by itself, but not inside the query, which is removed as a whole
        let end = word[begin..].find("://").map_or(word.len(), |next| begin + next);
        rest = match word[begin..end].find(['?', '#']) {
            None => &url[begin..],
            Some(query) => {
                out.push_str(&word[begin..begin + query]);
                &url[word.trim_end_matches(AFTER).len().max(begin + query)..]
            }
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The offset of the host in `word`, the text after `://`; `None` if a password may extend beyond the apparent host.
pub(super) fn host_begins(word: &str) -> Option<usize> {
    let host = &word[..word.find(['/', '?', '#']).unwrap_or(word.len())];
    let mut signs = word.match_indices('@').map(|(at, _)| at);
    match (signs.next(), signs.next()) {
        (None, _) => Some(0),
        (Some(at), None) if at < host.len() => Some(at + 1),
        (Some(at), Some(_)) if at < host.len() => None,
        // after the host, as in `/a@v1`; but if text that is no port follows a colon, it is a password with a slash in it
        _ => {
            let port = host.split_once(':').map_or("", |(_, port)| port);
            (host.starts_with('[') || port.bytes().all(|byte| byte.is_ascii_digit())).then_some(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn credentials_and_queries_go_and_the_rest_stays() {
        for (text, shown) in [
            ("no URL here: a@b", "no URL here: a@b"),
            ("git@host:path and ssh://git@host/path", "git@host:path and ssh://host/path"),
            ("fatal: 'https://me:s3cret@host:8443/a.git/' not found", "fatal: 'https://host:8443/a.git/' not found"),
            ("https://ghp_token@host/a", "https://host/a"),
            ("'https://me:s/l?a#s@host/a' b@c", "'https://…' b@c"),
            ("https://me:s@h/l@host/a: no", "https://…: no"),
            ("at https://host/a?sig=abc&x=1#f, again", "at https://host/a, again"),
            ("\"https://host/a?sig=abc\": 403", "\"https://host/a\": 403"),
            ("https://host/a?to=https://me:pw@other/", "https://host/a"),
            ("https://proxy/https://me:pw@other/b", "https://proxy/https://other/b"),
            ("http://[::1]:80/a@v1 http://host:80/a@v1", "http://[::1]:80/a@v1 http://host:80/a@v1"),
            ("file:///srv/a.git\nhttps://a:b@c", "file:///srv/a.git\nhttps://c"),
        ] {
            assert_eq!(scrub(text), shown, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_password_and_no_query_is_left(
            user in "[a-z]{0,8}",
            password in "[!-~]{4,20}",
            query in "[!-~]{4,20}",
            before in "[^:/ÄÖ]{0,20}",
            after in "( [^ÄÖ]{0,20})?",
        ) {
            // marks that occur nowhere else
            let url = format!("https://{user}:ÄÄ{password}ÄÄ@host.example/a.git?ÖÖ{query}ÖÖ");
            let plain = !password.contains(['/', '?', '#', '@']) && !query.contains('@');
            let text = format!("{before}{url}{after}");
            let shown = scrub(&text);
            prop_assert!(!shown.contains('Ä') && !shown.contains('Ö'), "{shown}");
            prop_assert_eq!(shown.starts_with(&format!("{before}https://host.example/a.git")), plain, "{}", shown);
        }

        #[test]
        fn what_is_shown_is_not_changed_again(text in ".{0,60}", url in "[a-z@:/?#.' ]{0,40}") {
            for text in [text, format!("x://{url}")] {
                let once = scrub(&text).into_owned();
                prop_assert_eq!(scrub(&once), once.as_str());
            }
        }

        #[test]
        fn a_text_without_a_url_stays_as_it_is(text in "[^:]{0,60}") {
            prop_assert_eq!(scrub(&text), text.as_str());
        }
    }
}
