//! The names that a disk of Windows can hold. Pure; the unit test is the list of cases.
//!
//! Format: "Naming Files, Paths, and Namespaces" of Microsoft, and what git calls `core.protectNTFS`. Windows would open
//! another thing by a name that is refused here: `con.txt` the console, `a:b` a stream of `a`, `a.` and `a ` the file `a`,
//! `git~1` the directory `.git`.

use std::ffi::OsStr;

/// Names of devices, with any extension and any case; the digits of `COM` and `LPT` may also be raised ones.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Whether a file of the disk can have this name, one part of a path, and no other file answers to it.
pub(super) fn is_held(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok_and(|name| !is_altered(name) && !is_device(name) && !is_short_name(name))
}

/// Whether a typed path opens another thing than the file of that name: a device, a stream, the file without the final dot.
/// Short names are taken, because a directory for temporary files may be `C:/Users/RUNNER~1/AppData/Local/Temp`.
pub(crate) fn opens_another(typed: &OsStr) -> bool {
    let slashed = slashed(typed.as_encoded_bytes());
    let Ok(path) = std::str::from_utf8(&slashed) else { return true };
    // a drive begins an absolute path: `C:con` is the console, too, and `x:y` a file of drive X, in whatever directory
    let below = match path.as_bytes() {
        [letter, b':', b'/', ..] if letter.is_ascii_alphabetic() => &path[2..],
        _ => path,
    };
    // `//./COM1` and, without a drive or a share, `//?/GLOBALROOT/Device` are names of devices
    let is_verbatim = matches!(typed.as_encoded_bytes(), [b'/' | b'\\', b'/' | b'\\', b'?', ..]);
    let is_of_system =
        path.starts_with("//./") || (is_verbatim && below.len() == path.len() && !path.starts_with("//"));
    is_of_system || below.split('/').any(|part| is_altered(part) || is_device(part))
}

/// Whether the name has a letter that no name has, or an end that Windows cuts off.
fn is_altered(name: &str) -> bool {
    let is_odd = |letter: char| letter < ' ' || matches!(letter, '<' | '>' | ':' | '"' | '\\' | '|' | '?' | '*');
    let is_cut = name.ends_with(['.', ' ']) && !matches!(name, "." | "..");
    name.contains(is_odd) || is_cut
}

/// A path with slashes and without the prefix of the system's own form: `\\?\C:\a` is `C:/a`.
pub(super) fn slashed(path: &[u8]) -> Vec<u8> {
    let slashed: Vec<u8> = path.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect();
    match slashed.strip_prefix(b"//?/") {
        Some(rest) => match rest.strip_prefix(b"UNC/") {
            Some(share) => [b"//", share].concat(),
            None => rest.to_vec(),
        },
        None => slashed,
    }
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ').to_lowercase();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let is_port = port.is_some_and(|rest| {
        matches!(rest, "¹" | "²" | "³") || (rest.len() == 1 && rest != "0" && rest.as_bytes()[0].is_ascii_digit())
    });
    is_port || DEVICES.contains(&&*stem)
}

/// Whether the name has the form of the short name of another file: up to six letters, `~`, digits, an extension of three.
fn is_short_name(name: &str) -> bool {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let Some((start, number)) = stem.split_once('~') else { return false };
    let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    is_number && !start.is_empty() && stem.len() <= 8 && extension.len() <= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_opens_another_thing_is_refused() {
        let refused = [
            "con",
            "CON",
            "Con.txt",
            "nul.tar.gz",
            "aux .c",
            "prn",
            "com1",
            "COM9.x",
            "lpt¹",
            "COM²",
            "com³.txt",
            "aux.md",
            "NUL .txt",
            "conin$",
            "CONOUT$.log",
            "a:b",
            "a::$DATA",
            "a<b",
            "a>b",
            "a\"b",
            "a|b",
            "a?",
            "*",
            "a\\b",
            "a\nb",
            "a\u{1}",
            "a.",
            "a ",
            "...",
            "git~1",
            "GIT~12",
            "yatsu~1.md",
        ];
        for name in refused {
            assert!(!is_held(name.as_bytes()), "{name:?}");
        }
        assert!(!is_held(b"\xff"), "UTF-16 has no such name");
    }

    #[test]
    fn a_typed_path_that_opens_another_thing_is_told_from_a_usual_one() {
        let others = [
            "con",
            "./NUL",
            r"a\b\aux.md",
            "C:con",
            "C:/x/com1",
            "lpt¹",
            "a/COM³.log/b",
            "x:y",
            "C:",
            "C:a",
            "a.txt:stream",
            "C:/a.txt::$DATA",
            "//./COM1",
            r"\\.\PhysicalDrive0",
            r"\\?\GLOBALROOT\Device\Null",
            r"\\?\C:\con",
            "a./b",
            "a ",
            "a*",
            "a?",
            "a|b",
        ];
        for path in others {
            assert!(opens_another(OsStr::new(path)), "{path:?}");
        }
        let usual = [
            "-",
            ".",
            "..",
            "../a",
            "a/./b",
            "",
            "/",
            "C:/a",
            r"z:\a\b.md",
            r"\\?\C:\a b",
            r"\\server\share\a",
            r"\\?\UNC\server\share\a",
            "C:/Users/RUNNER~1/AppData/Local/Temp/x.bin",
            "/c/a",
            "console",
            "ü.md",
            "com0",
        ];
        for path in usual {
            assert!(!opens_another(OsStr::new(path)), "{path:?}");
        }
    }

    #[test]
    fn paths_are_spelled_as_git_and_shells_take_them() {
        for (path, spelled) in [
            (r"\\?\C:\a b\ü", "C:/a b/ü"),
            (r"\\?\UNC\server\share\x", "//server/share/x"),
            (r"\\server\share", "//server/share"),
            (r"C:\a/b", "C:/a/b"),
            (r"..\x", "../x"),
        ] {
            assert_eq!(String::from_utf8_lossy(&slashed(path.as_bytes())), spelled, "{path}");
        }
    }

    #[test]
    fn usual_names_are_kept() {
        let kept = [
            "a",
            ".",
            "..",
            ".git",
            ".spec",
            "yatsu.md",
            "console",
            "con-x",
            "com",
            "com0",
            "com10",
            "lpt",
            "null",
            "a b",
            "ä",
            "日本",
            "a~b",
            "~",
            "~1",
            "backup~1.markdown",
            "longername~1",
            "a'b",
            "a&b",
            "100%",
        ];
        for name in kept {
            assert!(is_held(name.as_bytes()), "{name:?}");
        }
    }
}
