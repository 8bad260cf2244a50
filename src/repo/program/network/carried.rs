//! Carries the connection settings of the user's repository over to this program's own repository, which cannot see them.
//! Without them a URL is not rewritten, and a token that a CI wrote into the local configuration is missing. They are passed
//! in the environment, because any user of the machine can read arguments.
//!
//! git reads the system's and the user's own settings by itself, before these: passing them again would send a header twice.
//! If some of them are conditional (`includeIf`), they may not apply to this program's repository. Then all settings are
//! passed on, and each list is cleared first.

use crate::repo::program::config::ScopedConfig;
use crate::sys;
use bstr::{BString, ByteSlice};
use std::collections::BTreeSet;
use std::ffi::OsString;

/// Sections with connection settings only.
const SECTIONS: [&str; 5] = ["http", "url", "credential", "ssh", "protocol"];

/// Single keys with connection settings.
const KEYS: [&str; 3] = ["core.sshcommand", "core.askpass", "core.gitproxy"];

/// The name of the remote in this program's repository. With the user's own name, the system's or the user's settings for
/// its URLs would apply too, and cannot be undone.
pub(super) const REMOTE: &str = "yatsu-single";

/// The settings of a remote, besides its URLs, that say how to reach it. The others (refspecs, mirroring, filters) concern
/// the user's own refs.
const OF_REMOTE: [&str; 6] = ["proxy", "proxyauthmethod", "uploadpack", "receivepack", "serveroption", "vcs"];

/// The variables that pass on the settings of `config` for connections to `remote`, which is reached only at `url`.
pub(super) fn variables(config: &ScopedConfig, remote: &str, url: &BString) -> Vec<(OsString, OsString)> {
    // with an explicit push URL, git rewrites it like the other one and ignores `pushInsteadOf`
    let mut carried: Vec<(BString, BString)> =
        ["url", "pushurl"].map(|name| (format!("remote.{REMOTE}.{name}").into(), url.clone())).into();
    // a key without a value means true
    let value = |value: Option<&BString>| value.cloned().unwrap_or_else(|| "true".into());
    let is_conditional = config.is_conditional();
    let source = if is_conditional { &config.whole } else { &config.own };
    let wanted: Vec<(BString, BString)> =
        source.values().filter(|(key, _)| is_carried(key)).map(|(key, of)| (key.clone(), value(of))).collect();
    let lists: BTreeSet<&BString> =
        wanted.iter().map(|(key, _)| key).filter(|key| is_conditional && is_list(key)).collect();
    carried.extend(lists.into_iter().map(|key| (key.clone(), BString::default())));
    carried.extend(wanted.iter().cloned());
    let of_remote = config.whole.values().filter_map(|(key, of)| Some((renamed(key, remote)?, value(of))));
    carried.extend(of_remote);
    let mut variables = vec![("GIT_CONFIG_COUNT".into(), carried.len().to_string().into())];
    for (at, (key, value)) in carried.iter().enumerate() {
        variables.push((format!("GIT_CONFIG_KEY_{at}").into(), sys::native(key).into_owned()));
        variables.push((format!("GIT_CONFIG_VALUE_{at}").into(), sys::native(value).into_owned()));
    }
    variables
}

/// Whether an empty value of the key clears all values before it.
fn is_list(key: &BString) -> bool {
    let of = |section: &str, name: &str| key.starts_with(section.as_bytes()) && key.ends_with(name.as_bytes());
    of("http.", ".extraheader") || of("http.", ".curloptresolve") || of("credential.", ".helper")
}

fn is_carried(key: &BString) -> bool {
    let section = key.split_once_str(".").map_or(key.as_bytes(), |(section, _)| section);
    SECTIONS.iter().any(|carried| carried.as_bytes() == section) || KEYS.iter().any(|carried| key == carried)
}

/// The key for this program's remote that corresponds to one of the user's remote.
fn renamed(key: &BString, remote: &str) -> Option<BString> {
    let name = key.strip_prefix(b"remote.")?.strip_prefix(remote.as_bytes())?.strip_prefix(b".")?;
    let name = OF_REMOTE.iter().find(|carried| carried.as_bytes() == name)?;
    Some(format!("remote.{REMOTE}.{name}").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::program::GitConfig;

    #[test]
    fn what_holds_for_some_repositories_alone_goes_along_whole_and_no_header_twice() {
        let here = b"local\0http.https://h/.extraheader\nA: here\0";
        let carried = |everywhere: &[u8]| {
            let config = ScopedConfig::parse(&[everywhere, here].concat()).unwrap();
            let all = variables(&config, "origin", &"w".into());
            let of =
                |what: &str| all.iter().filter(|(name, _)| name.to_str().unwrap().starts_with(what)).cloned().collect();
            let keys: Vec<(OsString, OsString)> = of("GIT_CONFIG_KEY_");
            let values: Vec<(OsString, OsString)> = of("GIT_CONFIG_VALUE_");
            let pairs = keys.iter().zip(&values).skip(2);
            pairs.map(|((_, key), (_, value))| format!("{}={}", key.display(), value.display())).collect::<Vec<_>>()
        };
        let everywhere = b"global\0http.https://h/.extraheader\nA: all\0global\0credential.helper\nstore\0global\0core.sshcommand\nssh -x\0";
        assert_eq!(carried(everywhere), ["http.https://h/.extraheader=A: here"]);
        let conditional =
            [&everywhere[..], b"global\0includeif.gitdir:/x.path\ny\0global\0url.a.insteadof\nb\0"].concat();
        let told = [
            "credential.helper=",
            "http.https://h/.extraheader=",
            "http.https://h/.extraheader=A: all",
            "credential.helper=store",
            "core.sshcommand=ssh -x",
            "url.a.insteadof=b",
            "http.https://h/.extraheader=A: here",
        ];
        assert_eq!(carried(&conditional), told);
    }

    #[test]
    fn what_concerns_connections_is_carried_and_nothing_else() {
        let own = GitConfig::parse(
            b"core.sshcommand\nssh -x\0core.editor\nvi\0remote.origin.url\nu\0remote.origin.pushurl\np\0remote.origin.proxy\nq\0remote.origin.fetch\n+a:b\0remote.origin.mirror\0\
              remote.origin.x.url\nv\0remote.other.url\nw\0http.https://h/.extraheader\nA: b\0credential.usehttppath\0\
              url.a.insteadof\nb\0user.name\nn\0httpx.y\nz\0",
        );
        let config = ScopedConfig { whole: own.clone(), own };
        let carried: Vec<_> = variables(&config, "origin", &"w".into())
            .into_iter()
            .map(|(name, value)| (name.into_string().unwrap(), value.into_string().unwrap()))
            .filter(|(name, _)| !name.starts_with("GIT_CONFIG_VALUE"))
            .map(|(_, value)| value)
            .collect();
        let of_ours = ["7", "remote.yatsu-single.url", "remote.yatsu-single.pushurl", "core.sshcommand"];
        let others = ["http.https://h/.extraheader", "credential.usehttppath", "url.a.insteadof"];
        assert_eq!(carried, [&of_ours[..], &others, &["remote.yatsu-single.proxy"]].concat());
    }
}
