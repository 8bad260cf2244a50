use super::*;

const ANN: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJeMT/yCiOEbzFXIWMZqAaes7Kl0gA0RVZNOU1PL9r9y";
const BOB: &str = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBNdnnmUgOXHdpYamwXpoi587AebD/qND0vho7U39CS6KKt8j4Hd1fsk6nZyWWSxiPkc+dhbH4pO2iTJDnPlRBP4=";
/// A signature by ANN in the namespace of this program.
const BY_ANN: &str = "U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgl4xP/IKI4RvMVchYxmoBp6zsqXSADRFVk05TU8v2v3IAAAAKeWF0c3UtaG9vawAAAAAAAAAGc2hhNTEyAAAAUwAAAAtzc2gtZWQyNTUxOQAAAEAEhdgQltrRcRpisPdmrFjWs0MxxPMzO5yrwbFF3EAcPpG/bBYgVPpIxY/LycxSyoYYU/94N+hCv3f1oKxH0lkC";
/// A signature by a certificate for BOB in the namespace of git.
const BY_CERTIFICATE: &str = "U1NIU0lHAAAAAQAAAfgAAAAoZWNkc2Etc2hhMi1uaXN0cDI1Ni1jZXJ0LXYwMUBvcGVuc3NoLmNvbQAAACDs7FeMXRuMeb/ddP7l7a1lJY8EHGhRjx8LAAG6tzLxkwAAAAhuaXN0cDI1NgAAAEEE12eeZSA5cd2lhqbBemiLnzsB5sP+o0PS+GjtTf0JLooq3yPgd3V+yTqdnJZZLGI+Rz52Fsfik7aJMkOc+VEE/gAAAAAAAAAAAAAAAQAAAARjZXJ0AAAAEwAAAA9hbm5AZXhhbXBsZS5vcmcAAAAAaVW5AAAAAABrNuyAAAAAAAAAAIIAAAAVcGVybWl0LVgxMS1mb3J3YXJkaW5nAAAAAAAAABdwZXJtaXQtYWdlbnQtZm9yd2FyZGluZwAAAAAAAAAWcGVybWl0LXBvcnQtZm9yd2FyZGluZwAAAAAAAAAKcGVybWl0LXB0eQAAAAAAAAAOcGVybWl0LXVzZXItcmMAAAAAAAAAAAAAADMAAAALc3NoLWVkMjU1MTkAAAAgNX0MfJUHnqUYQVohsDmhlp3n3yDHV9yTJ3wuC0QYQs4AAABTAAAAC3NzaC1lZDI1NTE5AAAAQNK60NdkikUMQZD1ivJMwTm1n1fSCeE5e7IBam2c4d3w2S3ULOrqR19LANCiFStIaEtbrbbPS0aV1F0PX+mZzAoAAAADZ2l0AAAAAAAAAAZzaGE1MTIAAABkAAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAABJAAAAIQCWq08E0dTFfVnha9TA9ZRy7kOJ6neHWvn4G3iwJo+RAgAAACA6C3DVVuRhALWnoGsPQkGyvJdw30BIqTsRKSetYnRjuA==";

fn judges(text: &str) -> (Vec<String>, Vec<String>) {
    let (judges, bad) = Judges::parse(text.as_bytes());
    let bad = bad.iter().map(|line| format!("{}: {}", line.number, line.why)).collect();
    (judges.text().lines().map(str::to_owned).collect(), bad)
}

#[test]
fn a_signature_names_its_key_and_its_namespace_and_of_a_certificate_the_own_key() {
    let key = |text: &str| Judges::parse(format!("x {text}").as_bytes()).0.lines.remove(0).key;
    let by_ann = SshSignature::parse(BY_ANN).unwrap();
    assert_eq!((by_ann.key.clone(), &*by_ann.namespace), (key(ANN), NAMESPACE));
    assert_eq!(by_ann.key.fingerprint(), "SHA256:yNHA+MIO8/1e5wx4DuzmpIwupOr7FrS2Vq+I5hBEb+4");
    let by_certificate = SshSignature::parse(BY_CERTIFICATE).unwrap();
    assert_eq!((by_certificate.key.clone(), &*by_certificate.namespace), (key(BOB), "git"));
    assert_eq!(by_certificate.key.fingerprint(), "SHA256:qdzDy8oKjNGXvgorLH9kn8qACsKv0dKw2a90bn+Z78M");
    let armour = SshSignature::armoured(BY_ANN);
    assert_eq!(SshSignature::unarmoured(armour.as_bytes()).as_deref(), Some(BY_ANN));
    assert!(armour.lines().all(|line| line.len() <= 70), "{armour}");
}

#[test]
fn bytes_that_are_no_whole_signature_are_none() {
    let cut = crate::text::base64::decoded(BY_ANN.as_bytes()).unwrap();
    for length in 0..cut.len() {
        assert_eq!(SshSignature::parse(&crate::text::base64::base64(&cut[..length])), None, "{length}");
    }
    let longer = [&cut[..], b"x"].concat();
    assert_eq!(SshSignature::parse(&crate::text::base64::base64(&longer)), None);
    assert_eq!(SshSignature::parse("U1NIU0lH"), None);
    assert_eq!(SshSignature::unarmoured(b"no armour"), None);
}

#[test]
fn a_line_of_the_judges_is_read_as_git_and_openssh_write_it() {
    let (lines, bad) = judges(&format!(
        "# people\n\nann@example.org {ANN} Ann's laptop\n\tann@x,*@y,!z@y namespaces=\"git,yatsu*\",valid-after=\"20260101Z\" {BOB}\r\n\
         *@example.org CERT-AUTHORITY,Valid-Before=\"202701010000\" {BOB}\n"
    ));
    assert_eq!(bad, [""; 0]);
    assert_eq!(
        lines,
        [
            format!("ann@example.org {ANN}"),
            format!("ann@x,*@y,!z@y namespaces=\"git,yatsu*\",valid-after=\"20260101\" {BOB}"),
            format!("*@example.org cert-authority,valid-before=\"202701010000\" {BOB}"),
        ]
    );
}

#[test]
fn a_line_that_could_be_read_otherwise_admits_no_key() {
    for (line, why) in [
        (format!("ann {}", ANN.replace("AAAA", "AAAB")), "no key of OpenSSH"),
        (format!("ann {}x", ANN), "no key of OpenSSH"),
        (format!("ann {}", ANN.replace("ssh-ed25519 ", "ssh-rsa ")), "no key of OpenSSH"),
        ("ann ssh-dss AAAAB3NzaC1kc3M=".into(), "no key of OpenSSH"),
        ("ann".into(), "no key of OpenSSH"),
        (format!("\"ann b\" {ANN}"), "quoted"),
        (format!("ann,,bob {ANN}"), "empty principal"),
        (format!("ann valid-after=20260101 {ANN}"), "valid-after=20260101 is not one"),
        (format!("ann valid-after=\"2026\" {ANN}"), "is not one"),
        (format!("ann cert-authority,restrict {ANN}"), "restrict is not one"),
        (format!("ann cert-authority,cert-authority {ANN}"), "twice"),
        (format!("ann namespaces=\"git {ANN}"), "quote"),
        (format!("ann\u{1} {ANN}"), "control characters"),
    ] {
        let (lines, bad) = judges(&format!("# first\n{line}\n"));
        assert_eq!(lines, [""; 0], "{line}");
        assert!(bad[0].starts_with("2: ") && bad[0].contains(why), "{line}: {bad:?}");
    }
    let (_, bad) = Judges::parse(b"\xff ssh-ed25519 x\n");
    assert_eq!(bad[0].why, "it is not UTF-8");
}

#[test]
fn a_byte_order_mark_and_line_ends_change_no_name_and_an_unseen_character_admits_no_key() {
    assert_eq!(
        judges(&format!("\u{feff}ann@x {ANN}\r\nbob@x {BOB}\r\n")).0,
        [format!("ann@x {ANN}"), format!("bob@x {BOB}")]
    );
    assert_eq!(judges(&format!("\u{feff}# people\r\nann@x {ANN}")), (vec![format!("ann@x {ANN}")], Vec::new()));
    for hidden in ["\u{feff}ann@x", "ann\u{200b}@x", "ann@x,\u{202e}bob@x"] {
        let (lines, bad) = judges(&format!("# joined\n{hidden} {ANN}\n"));
        assert_eq!((lines.len(), &*bad.concat()), (0, "2: a principal of it has characters that nobody sees"));
    }
    let (lines, bad) = judges(&format!("ann\0@x {ANN}\nann@x {ANN} \u{1f469}\u{200d}\u{1f52c}\n"));
    assert_eq!((lines.len(), bad.len()), (1, 1), "a comment may hold anything that is no control character");
}

#[test]
fn a_line_that_cannot_be_read_revokes_every_key() {
    let of = |bytes: &[u8]| Revoked::parse(bytes).0;
    let (ann, both) = (of(ANN.as_bytes()), of(format!("\u{feff}{ANN}\r\n\r\n# lost\r\n{BOB}\r\n").as_bytes()));
    assert!(!ann.has_all() && !both.has_all() && both.missing_from(&ann).len() == 1);
    let utf_16: Vec<u8> = ANN.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let broken = format!("{ANN}\nserial: 7\n");
    for bytes in
        [broken.as_bytes(), b"ann@x\n", b"\xff\n", b"ssh-ed25519 AAAA\n", &utf_16, b"\xef\xbb\xbfSSHKRL\n\0", b"\0\n"]
    {
        let revoked = of(bytes);
        assert!(revoked.has_all(), "{bytes:?}");
        let content = revoked.content().unwrap();
        assert_eq!(of(&content), revoked);
        assert_ne!(revoked.id(), ann.id());
    }
    assert_eq!(of(broken.as_bytes()).missing_from(&ann), [""; 0], "to mend the line loses nothing");
    assert_eq!(of(broken.as_bytes()).missing_from(&Revoked::None).len(), 1);
}

#[test]
fn a_new_judge_and_a_lost_revocation_are_named_and_a_comment_is_not() {
    let judges = |text: &str| Judges::parse(text.as_bytes()).0;
    let (old, new) = (judges(&format!("ann {ANN} old\n")), judges(&format!("bob {BOB}\nann {ANN} new\n")));
    assert_eq!(new.missing_from(&old).collect::<Vec<_>>(), [format!("bob {BOB}")]);
    assert_eq!(old.missing_from(&new).count(), 0);
    let revoked = |text: &str| Revoked::parse(text.as_bytes()).0;
    let (both, one) = (revoked(&format!("{ANN} lost\n{BOB}\n")), revoked(BOB));
    assert_eq!(both.missing_from(&one), ["the key SHA256:yNHA+MIO8/1e5wx4DuzmpIwupOr7FrS2Vq+I5hBEb+4"]);
    assert_eq!(one.missing_from(&both), [""; 0]);
    let list = |rest: &str| revoked(&format!("SSHKRL\n\0{rest}"));
    assert_eq!(list("a").missing_from(&list("a")), [""; 0]);
    assert_eq!(list("a").missing_from(&list("b")).len(), 1);
    assert_eq!(both.missing_from(&list("a")).len(), 1);
    assert_eq!(Revoked::None.missing_from(&list("a")), [""; 0]);
    assert_eq!(Revoked::parse(format!("ann {ANN}\n").as_bytes()).1.len(), 1, "a revoked key has no principal");
}

#[test]
fn names_that_share_a_key_or_a_line_are_one_person_and_patterns_and_authorities_join_nobody() {
    let (judges, bad) = Judges::parse(
        format!("ann@x {ANN}\nann@work {ANN}\nann@x,ann@home {BOB}\n*@all cert-authority {BOB}\ncarl@all,dora@all cert-authority {BOB}\n").as_bytes(),
    );
    assert_eq!(bad, []);
    let persons = Persons::of(&judges, []);
    let key = |at: usize| judges.lines[at].key.clone();
    let ann = persons.person(&["ann@x".into()], &key(0));
    assert_eq!(ann.names.iter().map(String::as_str).collect::<Vec<_>>(), ["ann@home", "ann@work", "ann@x"]);
    assert_eq!(ann, persons.person(&["ann@home".into()], &key(2)));
    assert!(ann.is("Ann@Work") && !ann.is("carl@all"));
    // certificates: the names on them, and their own keys
    let (one, other) = (SshSignature::parse(BY_ANN).unwrap().key, SshSignature::parse(BY_CERTIFICATE).unwrap().key);
    let (erik, finn) = (vec!["erik@all".to_owned()], vec!["finn@all".to_owned()]);
    let apart = Persons::of(&Judges::default(), [(&erik[..], &one), (&finn[..], &other)]);
    assert_ne!(apart.person(&erik, &one), apart.person(&finn, &other));
    let joined = Persons::of(&Judges::default(), [(&erik[..], &one), (&finn[..], &one)]);
    assert_eq!(joined.person(&erik, &one), joined.person(&finn, &one));
}
