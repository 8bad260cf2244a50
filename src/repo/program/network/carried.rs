//! What the user's repository configures for connections, for a repository of ours that does not see it: without it a URL is
//! not rewritten, and a token that a CI wrote into the local configuration is lost. It travels in the environment: an argument
//! can be read by everybody on the machine.
//!
//! What the system and the user configure for every repository our git reads itself, in the same order before this: handed
//! over once more, a header would be sent twice.

use crate::repo::program::GitConfig;
use bstr::{BString, ByteSlice};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Sections that are about connections and nothing else.
const SECTIONS: [&str; 5] = ["http", "url", "credential", "ssh", "protocol"];

/// Single keys that are.
const KEYS: [&str; 3] = ["core.sshcommand", "core.askpass", "core.gitproxy"];

/// What of a remote says how to reach it. The rest, refspecs, mirroring, filters, is about the user's own refs.
const OF_REMOTE: [&str; 8] =
    ["url", "pushurl", "proxy", "proxyauthmethod", "uploadpack", "receivepack", "serveroption", "vcs"];

/// The variables that hand over what of `config` concerns connections to `remote`.
pub(super) fn variables(config: &GitConfig, remote: &str) -> Vec<(OsString, OsString)> {
    let concerned = config.values().filter(|(key, _)| is_carried(key, remote));
    let mut variables = Vec::new();
    let mut count = 0;
    for (key, value) in concerned {
        // a key that stands alone means true
        let value = value.map_or(&b"true"[..], |value| value.as_bytes());
        variables.push((format!("GIT_CONFIG_KEY_{count}").into(), OsStr::from_bytes(key).to_owned()));
        variables.push((format!("GIT_CONFIG_VALUE_{count}").into(), OsStr::from_bytes(value).to_owned()));
        count += 1;
    }
    variables.push(("GIT_CONFIG_COUNT".into(), count.to_string().into()));
    variables
}

fn is_carried(key: &BString, remote: &str) -> bool {
    let section = key.split_once_str(".").map_or(key.as_bytes(), |(section, _)| section);
    if SECTIONS.iter().any(|carried| carried.as_bytes() == section) || KEYS.iter().any(|carried| key == carried) {
        return true;
    }
    let of_remote = key.strip_prefix(b"remote.").and_then(|rest| rest.strip_prefix(remote.as_bytes()));
    let name = of_remote.and_then(|rest| rest.strip_prefix(b"."));
    name.is_some_and(|name| OF_REMOTE.iter().any(|carried| carried.as_bytes() == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_concerns_connections_is_carried_and_nothing_else() {
        let config = GitConfig::parse(
            b"core.sshcommand\nssh -x\0core.editor\nvi\0remote.origin.url\nu\0remote.origin.fetch\n+a:b\0remote.origin.mirror\0\
              remote.origin.x.url\nv\0remote.other.url\nw\0http.https://h/.extraheader\nA: b\0credential.usehttppath\0\
              url.a.insteadof\nb\0user.name\nn\0httpx.y\nz\0",
        );
        let carried: Vec<_> = variables(&config, "origin")
            .into_iter()
            .map(|(name, value)| (name.into_string().unwrap(), value.into_string().unwrap()))
            .filter(|(name, _)| !name.starts_with("GIT_CONFIG_VALUE"))
            .map(|(_, value)| value)
            .collect();
        let expected =
            ["core.sshcommand", "remote.origin.url", "http.https://h/.extraheader", "credential.usehttppath"];
        assert_eq!(carried, [&expected[..], &["url.a.insteadof", "5"]].concat());
    }
}
