//! Addresses of commits and files on the web server of a forge. GitHub, Gitea and others have `/commit/SHA`, GitLab has
//! `/-/commit/SHA`.

use crate::text::uri;

/// A repository on a forge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ForgeLinks {
    /// `https://HOST/OWNER/REPO`.
    repository: String,
    is_gitlab: bool,
}

impl ForgeLinks {
    /// The accepted forms.
    pub(crate) const FORM: &'static str =
        "https://HOST/OWNER/REPO, or https://HOST/GROUP/REPO/- for a GitLab of any other name";

    /// The repository that `text` names. A GitLab is recognised by `gitlab` as a part of the host's name, or by `/-` at
    /// the end.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (repository, is_marked) = text.strip_suffix("/-").map_or((text, false), |before| (before, true));
        let (host, path) = repository.strip_prefix("https://")?.split_once('/')?;
        let (name, port) = host.split_once(':').unwrap_or((host, "443"));
        let is_gitlab = is_marked || name.split('.').any(|label| label.eq_ignore_ascii_case("gitlab"));
        let segments: Vec<&str> = path.split('/').collect();
        // only GitLab has groups in groups
        let is_deep = segments.len() == 2 || (is_gitlab && segments.len() > 2);
        let is_port = !port.is_empty() && port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit());
        let is_fine = is_deep && is_port && is_host(name) && segments.iter().all(|segment| is_segment(segment));
        is_fine.then(|| Self { repository: repository.to_owned(), is_gitlab })
    }

    /// The address of the repository.
    pub(crate) fn repository(&self) -> &str {
        &self.repository
    }

    /// The name of the repository, without its owner.
    pub(crate) fn name(&self) -> &str {
        self.repository.rsplit('/').next().unwrap_or_default()
    }

    pub(crate) fn commit(&self, id: &str) -> String {
        format!("{}{}/commit/{id}", self.repository, self.middle())
    }

    /// The address of a file, as the commit `id` has it.
    pub(crate) fn file(&self, id: &str, path: &[u8]) -> String {
        format!("{}{}/blob/{id}/{}", self.repository, self.middle(), uri::path(path))
    }

    fn middle(&self) -> &'static str {
        if self.is_gitlab { "/-" } else { "" }
    }
}

fn is_host(name: &str) -> bool {
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    name.split('.').all(is_label)
}

/// Whether a segment has only characters that need no escape, and leads nowhere else: `..` would lead to another
/// repository, and `.git` is the address of `git clone`.
fn is_segment(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    !["", "-", ".", ".."].contains(&text) && !text.ends_with(".git") && text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_and_files_have_the_addresses_of_their_forge() {
        for (typed, commit) in [
            ("https://github.com/o/r", "https://github.com/o/r/commit/ab"),
            ("https://git.example.com:8443/o/r.js", "https://git.example.com:8443/o/r.js/commit/ab"),
            ("https://gitlab.com/o/r", "https://gitlab.com/o/r/-/commit/ab"),
            ("https://gitlab.com/group/sub/r", "https://gitlab.com/group/sub/r/-/commit/ab"),
            ("https://gitlab.example.org/o/r/-", "https://gitlab.example.org/o/r/-/commit/ab"),
            ("https://code.example.org/a/b/c/-", "https://code.example.org/a/b/c/-/commit/ab"),
        ] {
            let links = ForgeLinks::parse(typed).expect(typed);
            assert_eq!(links.commit("ab"), commit);
            assert!(commit.starts_with(links.repository()) && links.repository().ends_with(links.name()));
        }
        let links = ForgeLinks::parse("https://github.com/o/r").unwrap();
        let path = b"src/a b#c?%\"<\xff\xc3\xa9/x.ts";
        assert_eq!(links.file("ab", path), "https://github.com/o/r/blob/ab/src/a%20b%23c%3F%25%22%3C%FF%C3%A9/x.ts");
    }

    #[test]
    fn any_other_form_is_refused() {
        for typed in [
            "",
            "github.com/o/r",
            "http://github.com/o/r",
            "HTTPS://github.com/o/r",
            "javascript:https://github.com/o/r",
            "https://github.com",
            "https://github.com/o",
            "https://github.com/o/",
            "https://github.com/o/r/",
            "https://github.com/o/r/tree",
            "https://github.com/o/r.git",
            "https://github.com/o/..",
            "https://github.com/-/r",
            "https://github.com//r",
            "https://user@github.com/o/r",
            "https://github.com:/o/r",
            "https://github.com:99a/o/r",
            "https://github..com/o/r",
            "https:///o/r",
            "https://github.com/o/r?x",
            "https://github.com/o/r#x",
            "https://github.com/o/r%2f",
            "https://github.com/o/\"onclick=",
            "https://github.com/o/r\n",
            "https://github.com/o/\u{e9}",
            " https://github.com/o/r",
        ] {
            assert_eq!(ForgeLinks::parse(typed), None, "{typed:?}");
        }
    }
}
