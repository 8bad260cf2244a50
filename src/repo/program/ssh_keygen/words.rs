//! Reads what `ssh-keygen` printed as yes, no or neither. Only its own words are an answer: a program that crashed, was
//! killed or is too old exits with a code other than 0, too, and has judged nothing.

use crate::repo::program::run::Answer;
use std::path::Path;

/// What it prints when it does not confirm a signature.
const NOT_VERIFIED: &str = "Could not verify signature.";
/// Why a line of the judges that names the key does not admit it, after `FILE:LINE: `. Not among them: that it cannot read
/// the line. Then another version could.
const NOT_ADMITTED: [&str; 4] = [
    "key has expired: ",
    "key is not yet valid: ",
    "key is not permitted for use in signature namespace ",
    "certificate not authorized: ",
];
/// Why the bytes of a signature are no signature of the message.
const BAD_SIGNATURE: [&str; 9] = [
    "Signature verification failed: incorrect signature",
    // what it says of a changed RSA signature
    "Signature verification failed: error in libcrypto",
    "Signature contains trailing data",
    "Signature version ",
    "Couldn't parse signature: missing ",
    "Couldn't verify signature: hash algorithm mismatch",
    "Couldn't verify signature: invalid format",
    "Couldn't verify signature: namespace does not match",
    "Couldn't verify signature: unsupported RSA signature algorithm",
];
/// The same for bytes that have no known form: the ends of messages that begin with the name of a function. Not among them:
/// that memory or a type of key is missing, which says nothing about the signature.
const BAD_FORM: [&str; 10] = [
    ": invalid format",
    ": incomplete message",
    ": incorrect signature",
    ": string is too large",
    ": unexpected bytes remain after decoding",
    ": invalid elliptic curve value",
    ": Invalid key length",
    ": elliptic curve does not match",
    ": key type does not match",
    ": hash_file: signature algorithm not supported",
];

/// Whether `verify` or `check-novalidate` confirmed a signature of this namespace; `None` without an answer.
pub(super) fn verified(answer: &Answer, namespace: &str, judges: &Path) -> Option<bool> {
    let printed = lines(&answer.out);
    let good = format!("Good \"{namespace}\" signature ");
    match (answer.code?, &printed[..]) {
        (0, [first, ..]) if first.starts_with(&good) => Some(true),
        (code, [only]) if code != 0 && only == NOT_VERIFIED => are_known(&lines(&answer.err), judges).then_some(false),
        _ => None,
    }
}

/// Whether every line says something about the signature or the key, and none about the run. A key that no line names and a
/// revoked key are denied without a reason.
fn are_known(why: &[String], judges: &Path) -> bool {
    let is_known = |line: &String| {
        let of_judges = line.strip_prefix(&*format!("{}:", judges.display())).and_then(|rest| rest.split_once(": "));
        of_judges.is_some_and(|(_, text)| NOT_ADMITTED.iter().any(|known| text.starts_with(known)))
            || BAD_SIGNATURE.iter().any(|known| line.starts_with(known))
            || BAD_FORM.iter().any(|known| line.ends_with(known))
            || line.contains(": unsupported hash algorithm \"")
    };
    why.iter().all(is_known)
}

fn lines(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    text.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const JUDGES: &str = "/tmp/x/judges";

    fn answer(code: Option<i32>, out: &str, err: &str) -> Answer {
        Answer { what: String::new(), code, out: out.into(), err: err.into() }
    }

    #[test]
    fn only_the_programs_own_words_confirm_or_deny_a_signature() {
        let asked = |code, out: &str, err: &str| verified(&answer(code, out, err), "yatsu-hook", Path::new(JUDGES));
        for good in [
            "Good \"yatsu-hook\" signature for ann@x with ED25519 key SHA256:x\n",
            "Good \"yatsu-hook\" signature with RSA key\n",
        ] {
            assert_eq!(asked(Some(0), good, "a warning of the loader"), Some(true), "{good}");
            assert_eq!(asked(Some(255), good, ""), None, "{good}");
            assert_eq!(asked(None, good, ""), None, "{good}");
        }
        let no = "Could not verify signature.\n";
        for why in [
            "",
            "Signature verification failed: incorrect signature\r\n",
            "Couldn't verify signature: namespace does not match\r\n",
            "sshsig_wrap_verify: parse signature object: invalid format\r\n",
            "Signature verification failed: error in libcrypto\r\n",
            "sshsig_check_hashalg: unsupported hash algorithm \"md5\"\r\nsshsig_verify_fd: hash_file: signature algorithm not supported\r\n",
            "/tmp/x/judges:1: key is not permitted for use in signature namespace \"yatsu-hook\"\r\n",
            "/tmp/x/judges:1: certificate not authorized: Certificate invalid: expired\r\n",
        ] {
            assert_eq!(asked(Some(255), no, why), Some(false), "{why}");
        }
        for (code, out, why) in [
            (Some(0), "", ""),
            (Some(0), no, ""),
            (Some(0), "Good \"git\" signature for ann@x with ED25519 key SHA256:x\n", ""),
            (Some(255), "", ""),
            (None, no, ""),
            (Some(255), no, "Signature verification failed: memory allocation failed\r\n"),
            (Some(255), no, "sshsig_wrap_verify: parse signature object: unknown or unsupported key type\r\n"),
            (Some(255), no, "Couldn't read signature file: No such file or directory\r\n"),
            (Some(255), no, "hash_file: read: Input/output error\r\n"),
            (Some(255), no, "/tmp/x/judges:1: bad options: unknown key option\r\n"),
        ] {
            assert_eq!(asked(code, out, why), None, "{code:?} {out} {why}");
        }
    }
}
