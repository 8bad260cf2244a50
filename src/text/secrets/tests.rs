use super::*;
use proptest::prelude::*;

/// A text of one letter, because a complete token here would alarm secret scanners.
fn letters(count: usize) -> String {
    "Q".repeat(count)
}

/// A secret of each kind, as printed, and the part that must be gone.
fn samples() -> Vec<(&'static str, String, String)> {
    let q = letters;
    let key =
        format!("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{}\n-----END RSA PRIVATE KEY-----", q(64));
    let simple = |kind, token: String| (kind, token.clone(), token);
    vec![
        simple("aws key", format!("AKIA{}", q(16))),
        simple("aws key", format!("ASIA{}", q(16))),
        ("aws key", format!("aws_secret_access_key = {}", q(40)), q(40)),
        ("aws key", format!("\"AWS_SESSION_TOKEN\": \"{}\"", q(60)), q(60)),
        simple("github token", format!("ghp_{}", q(36))),
        simple("github token", format!("ghs_{}", q(36))),
        simple("github token", format!("github_pat_{}_{}", q(22), q(59))),
        simple("gitlab token", format!("glpat-{}", q(20))),
        simple("gitlab token", format!("glcbt-64_{}", q(20))),
        simple("google key", format!("AIza{}", q(35))),
        simple("jwt", format!("eyJ{}.eyJ{}.{}", q(20), q(30), q(43))),
        simple("npm token", format!("npm_{}", q(36))),
        simple("pypi token", format!("pypi-AgEIcHlwaS5vcmc{}", q(60))),
        simple("slack token", format!("xoxb-{0}-{0}-{0}", q(12))),
        simple("slack token", format!("xapp-1-{}", q(20))),
        ("slack token", format!("https://hooks.slack.com/services/T{0}/B{0}/{0}", q(9)), format!("B{}", q(9))),
        simple("stripe key", format!("sk_live_{}", q(24))),
        simple("stripe key", format!("rk_test_{}", q(24))),
        simple("stripe key", format!("whsec_{}", q(32))),
        ("authorization", "Authorization: Bearer opaque-value".into(), "opaque".into()),
        ("authorization", "'authorization': 'Basic dXNlcjpwYXNz'".into(), "dXNl".into()),
        ("authorization", r#"{\"Authorization\":\"token abcdef\"}"#.into(), "abcdef".into()),
        ("authorization", "> Proxy-Authorization: Digest username=\"u\", response=\"0a1b\"".into(), "0a1b".into()),
        ("authorization", "authorization: raw-value-of-a-key".into(), "raw-value".into()),
        ("url password", "postgres://app:hunter2@db.example/x".into(), "hunter2".into()),
        ("url password", "https://:p@ss:word@h/x".into(), "p@ss".into()),
        simple("private key", key),
        simple("private key", "-----BEGIN OPENSSH PRIVATE KEY-----\\nQUJD\\n-----END OPENSSH PRIVATE KEY-----".into()),
        simple(
            "private key",
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\nQUJD\n-----END PGP PRIVATE KEY BLOCK-----".into(),
        ),
    ]
}

#[test]
fn a_secret_of_every_kind_is_masked_and_said_by_its_kind() {
    for (kind, text, secret) in samples() {
        let said = format!("before é {text} \n after ü");
        let masked = mask(&said);
        assert_eq!(masked.count, 1, "{text}: {}", masked.text);
        assert!(masked.text.contains(&format!("[masked: {kind}]")), "{text}: {}", masked.text);
        assert!(!masked.text.contains(&secret), "{text}: {}", masked.text);
        assert!(masked.text.starts_with("before é ") && masked.text.ends_with(" \n after ü"), "{}", masked.text);
    }
}

#[test]
fn every_shape_of_the_table_is_looked_for_and_has_a_sample() {
    assert_eq!(SEARCHED.len(), SHAPES.len());
    assert!(KEY_EDGES.is_some());
    for (kind, pattern) in SEARCHED.iter() {
        assert!(samples().iter().any(|(of, text, _)| of == kind && pattern.is_match(text.as_bytes())), "{kind}");
    }
}

#[test]
fn what_is_masked_is_not_masked_again() {
    for (_, text, _) in samples() {
        let once = mask(&text);
        assert_eq!(mask(&once.text), MaskedText { text: Cow::Borrowed(&*once.text), count: 0 }, "{text}");
    }
}

#[test]
fn the_rest_of_an_address_and_the_name_of_a_header_stay() {
    let masked = mask("GET https://me:pw@example.org:8443/a?b#c\nauthorization: Bearer xyzzy\nAccept: */*");
    assert_eq!(
        masked.text,
        "GET https://me:[masked: url password]@example.org:8443/a?b#c\nauthorization: [masked: authorization]\nAccept: */*"
    );
    assert_eq!(masked.count, 2);
}

#[test]
fn ordinary_text_is_untouched() {
    for text in [
        "",
        "http://[::1]:8080/x and user@example.org",
        "http://localhost:8080/a@b",
        "see https://example.org:443 or mail me@example.org",
        "0123456789abcdef0123456789abcdef01234567",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "AKIA is a prefix, ghp_ too, and npm_config_cache=/x",
        "authorization failed",
        "glance-a-package-with-a-long-name, glib-networking-services-dev",
        "assert eyJ == 'eyJ.eyJ.'",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    ] {
        assert_eq!(mask(text), MaskedText { text: Cow::Borrowed(text), count: 0 });
    }
}

#[test]
fn a_key_that_was_cut_off_is_masked_as_far_as_it_goes() {
    let masked = mask("-----BEGIN PRIVATE KEY-----\nMIIEvQ\nIBADAN\n[1024 bytes left out]\nrest");
    assert_eq!(masked.text, "[masked: private key]\n[1024 bytes left out]\nrest");
    let two =
        mask("-----BEGIN PRIVATE KEY-----\nMIIE\n...\n-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n.");
    assert_eq!(two.text, "[masked: private key]\n...\n[masked: private key]\n.");
}

#[test]
fn secrets_that_meet_are_one() {
    let token = format!("ghp_{}", letters(36));
    let text = format!("https://x-access-token:{token}@github.com/a and Authorization: token {token}\n");
    let masked = mask(&text).text;
    assert_eq!(
        masked,
        "https://x-access-token:[masked: github token]@github.com/a and Authorization: [masked: authorization]\n"
    );
}

#[test]
fn bytes_that_are_no_text_are_searched_too() {
    let bytes = [b"\xff\xfe ", &*format!("npm_{}", letters(36)).into_bytes(), b"\xff"].concat();
    assert_eq!(find(&bytes), [FoundSecret { bytes: 3..43, kind: "npm token" }]);
}

#[test]
fn many_beginnings_without_an_end_take_one_pass() {
    let text = "-----BEGIN PRIVATE KEY-----.".repeat(40_000) + &"://a:".repeat(200_000) + &"eyJ".repeat(300_000);
    assert_eq!(mask(&text).count, 40_000);
}

proptest! {
    #[test]
    fn any_text_can_be_masked(text in "(authorization|[:/= @\"'\\\\]|ghp_|eyJ|é|-----BEGIN PRIVATE KEY-----|[A-Z]{16}|.){0,40}") {
        let found = find(text.as_bytes());
        prop_assert!(found.windows(2).all(|pair| pair[0].bytes.end <= pair[1].bytes.start));
        prop_assert!(found.iter().all(|one| text.is_char_boundary(one.bytes.start) && text.is_char_boundary(one.bytes.end)));
        prop_assert_eq!(mask(&text).count, found.len());
    }
}
