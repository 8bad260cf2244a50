//! `export in-toto`: what the statements say, and that an envelope is proven by hand.

use super::{INDEPENDENT, LEDGER, SIGNED, Team, two_scenarios};
use crate::support::{Said, hermetic, scenarios};
use serde_json::{Value, json};

const NOTE: &str = "urn:yatsu-hook:reading:v1";

/// The shape that in-toto publishes for Statement v1, ResourceDescriptor and test-result v0.1, as a schema of our own: only the
/// required keys, their types, and at least one subject with a digest. What we add stands in `annotations`.
fn shape() -> Value {
    let hex = json!({"type": "string", "pattern": "^([0-9a-f]{40}|[0-9a-f]{64})$"});
    let digest = json!({"type": "object", "minProperties": 1, "additionalProperties": hex,
        "propertyNames": {"enum": ["sha256", "gitBlob", "gitCommit"]}});
    let names = json!({"type": "array", "items": {"type": "string"}});
    let resource = json!({"type": "object", "additionalProperties": false, "anyOf": [
            {"required": ["uri"]}, {"required": ["digest"]}, {"required": ["content"]}],
        "properties": {"name": {"type": "string"}, "uri": {"type": "string"}, "digest": digest, "content": {"type": "string"},
            "downloadLocation": {"type": "string"}, "mediaType": {"type": "string"}, "annotations": {"type": "object"}}});
    let subject = json!({"allOf": [resource, {"required": ["digest"]}]});
    json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "additionalProperties": false,
        "required": ["_type", "subject", "predicateType", "predicate"],
        "properties": {"_type": {"const": "https://in-toto.io/Statement/v1"},
            "predicateType": {"const": "https://in-toto.io/attestation/test-result/v0.1"},
            "subject": {"type": "array", "minItems": 1, "items": subject},
            "predicate": {"type": "object", "additionalProperties": false, "required": ["result", "configuration"],
                "properties": {"result": {"enum": ["PASSED", "WARNED", "FAILED"]},
                    "configuration": {"type": "array", "items": resource}, "url": {"type": "string"},
                    "passedTests": names, "warnedTests": names, "failedTests": names}}}})
}

/// The exported statements; each has the published shape.
fn exported(team: &Team, args: &[&str]) -> Vec<Value> {
    let said = team.s.yatsu(&[&["export", "in-toto"], args].concat()).expect(0);
    let shape = jsonschema::validator_for(&shape()).expect("a schema");
    said.out
        .lines()
        .map(|line| {
            let statement: Value = serde_json::from_str(line).expect("a statement");
            let faults: Vec<String> = shape.iter_errors(&statement).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{faults:?} in {line}");
            statement
        })
        .collect()
}

fn note(statement: &Value) -> &Value {
    &statement["predicate"]["configuration"][0]["annotations"][NOTE]
}

// T32
#[test]
#[ignore = "needs ssh-keygen"]
fn a_statement_names_the_measured_content_and_the_commit_unless_the_content_was_dirty() {
    let team = Team::with_policy(SIGNED);
    team.s.write("new.sh", "echo\n");
    std::os::unix::fs::symlink("a.rs", team.s.root.join("src/link")).expect("a link");
    let entry = "[src/a.rs, new.sh, src/link, gone.rs]";
    team.s.write(".spec/n/yatsu.md", scenarios(&[("works", entry)]));
    let commit = team.s.commit("more files");
    team.s.yatsu(&["eval", "n", "--pass", "--by", "ann"]).expect(0);
    let blob = |path: &str| team.s.git(&["rev-parse", &format!("HEAD:{path}")]);
    let file = |path: &str| json!({"name": path, "digest": {"gitBlob": blob(path)}});
    let files = [file("new.sh"), file("src/a.rs"), file("src/link")];
    let [clean] = &exported(&team, &[])[..] else { panic!("one statement") };
    let subjects: Vec<Value> = files.iter().cloned().chain([json!({"digest": {"gitCommit": commit}})]).collect();
    assert_eq!(clean["subject"], json!(subjects), "an absent file is no subject");
    let line: Value = serde_json::from_str(&team.last_line()).expect("a line");
    assert_eq!(
        clean["predicate"],
        json!({"result": "PASSED", "passedTests": [".spec/n#works"], "failedTests": [],
            "configuration": [{"name": ".spec/n/yatsu.md#works", "digest": {"sha256": line["scenarioHash"]},
                "annotations": {NOTE: {"ts": line["ts"], "evaluator": line["evaluator"], "grade": "claimed", "signers": [],
                    "evidence": []}}}]})
    );
    team.edit("not committed");
    team.s.yatsu(&["eval", "n", "--fail", "--note", "wrong"]).expect(0);
    let [dirty] = &exported(&team, &[])[..] else { panic!("one statement") };
    let changed = team.s.git(&["hash-object", "src/a.rs"]);
    let subjects = [files[0].clone(), json!({"name": "src/a.rs", "digest": {"gitBlob": changed}}), files[2].clone()];
    assert_eq!(dirty["subject"], json!(subjects), "no commit has this content");
    assert_eq!(dirty["predicate"]["result"], "FAILED");
}

// T32
#[test]
#[ignore = "needs ssh-keygen"]
fn an_old_reading_without_a_hash_is_named_by_its_commit_and_one_that_names_no_content_is_not_exported() {
    let team = Team::with_policy(SIGNED);
    let commit = team.head();
    let reading = |more: &str| {
        format!(
            "{{\"scenario\":\"works\",\"codeSha\":\"{commit}\",\"verdict\":{{\"status\":\"pass\"}}{more},\"ts\":\"2026-01-01T00:00:00.000Z\"}}\n"
        )
    };
    team.s.write(LEDGER, reading(""));
    let [old] = &exported(&team, &[])[..] else { panic!("one statement") };
    assert_eq!(old["subject"], json!([{"digest": {"gitCommit": commit}}]));
    assert_eq!(old["predicate"]["configuration"][0]["digest"], json!({"gitCommit": commit}));
    team.s.write(LEDGER, reading(",\"dirty\":true"));
    let said = team.s.yatsu(&["export", "in-toto"]).expect(0);
    assert_eq!(said.out, "");
    assert!(said.err.contains("warning: 1 not exported") && said.err.contains(".spec/n#works"), "{}", said.err);
}

// T33
#[test]
#[ignore = "needs ssh-keygen"]
fn the_latest_effective_verdict_of_each_scenario_is_exported_by_path_and_name() {
    let team = Team::with_policy(SIGNED);
    let nothing = team.s.yatsu(&["export", "in-toto"]).expect(0);
    assert!(nothing.out.is_empty() && nothing.err.contains("no readings to export"), "{}", nothing.err);
    two_scenarios(&team.s);
    team.s.write(".spec/a/yatsu.md", scenarios(&[("zeta", "src/a.rs"), ("noted", "src/a.rs")]));
    team.s.commit("another node");
    for (name, verdict) in [("n/works", "--pass"), ("n/more", "--fail"), ("a/zeta", "--pass"), ("n/works", "--fail")] {
        team.s.yatsu(&["eval", name, verdict]).expect(0);
    }
    let legacy =
        format!("{{\"scenario\":\"noted\",\"codeSha\":\"{}\",\"ts\":\"2026-01-01T00:00:00.000Z\"}}\n", team.head());
    let ledger = ".spec/a/yatsu.evals.ndjson";
    team.s.write(ledger, team.s.read(ledger) + &legacy);
    let results = |args: &[&str]| -> Vec<(String, String)> {
        let of = |statement: &Value| {
            let predicate = &statement["predicate"];
            let tests = |key: &str| predicate[key].as_array().expect("a list").clone();
            let all = [tests("passedTests"), tests("failedTests")].concat();
            assert_eq!(all.len(), 1);
            (
                all[0].as_str().unwrap_or_default().to_owned(),
                predicate["result"].as_str().unwrap_or_default().to_owned(),
            )
        };
        exported(&team, args).iter().map(of).collect()
    };
    let pair = |name: &str, result: &str| (name.to_owned(), result.to_owned());
    let all = [pair(".spec/a#zeta", "PASSED"), pair(".spec/n#more", "FAILED"), pair(".spec/n#works", "FAILED")];
    assert_eq!(results(&[]), all, "a note without a verdict is no test result");
    assert_eq!(results(&["n"]), all[1..]);
    assert_eq!(results(&["n/works", "a"]), [all[0].clone(), all[2].clone()]);
    team.s.yatsu(&["retract", "n/works"]).expect(0);
    assert_eq!(results(&["n/works"]), [pair(".spec/n#works", "PASSED")], "the reading before the withdrawn one");
    let measured = team.s.commit("measured");
    team.s.yatsu(&["eval", "n/works", "--fail", "--note", "later"]).expect(0);
    assert_eq!(results(&["n/works", "--rev", &measured]), [pair(".spec/n#works", "PASSED")], "as the commit holds it");
    team.s.yatsu(&["export", "in-toto", "nowhere"]).expect(2);
    team.s.yatsu(&["export", "in-toto", "--rev", "nowhere"]).expect(2);
}

// T33
#[test]
#[ignore = "needs ssh-keygen"]
fn a_statement_says_who_signed_and_how_much_that_is() {
    let team = Team::with_policy(INDEPENDENT);
    team.edit("changed");
    team.commit_as("ann@example.org", "");
    team.signed_pass(&["ann"]);
    let [signed] = &exported(&team, &[])[..] else { panic!("one statement") };
    let signature: Value = serde_json::from_str(&team.last_line()).expect("a line");
    assert_eq!(note(signed)["grade"], "signed");
    let signer = &note(signed)["signers"][0];
    assert_eq!(
        [&signer["principal"], &signer["role"], &signer["independent"], &signer["ts"]],
        [&json!("ann@example.org"), &json!("person"), &json!(false), &signature["ts"]]
    );
    let fingerprint = team.keygen(&["-lf", &format!("{}.pub", team.key("ann").display())]).out;
    assert_eq!(signer["key"].as_str(), fingerprint.split(' ').nth(1));
    team.sign("bob", &[]).expect(0);
    let measured = team.s.commit("bob, too");
    let [both] = &exported(&team, &["--rev", &measured])[..] else { panic!("one statement") };
    assert_eq!(
        (&note(both)["grade"], note(both)["signers"].as_array().map(Vec::len)),
        (&json!("independent"), Some(2))
    );
}

#[test]
#[ignore = "needs ssh-keygen"]
fn without_ssh_keygen_a_signed_reading_is_not_exported_with_another_grade() {
    let team = Team::with_policy(SIGNED);
    team.signed_pass(&["ann"]);
    std::fs::remove_dir_all(team.s.root.join(".git/yatsu")).expect("what sign verified");
    let mut command = team.s.yatsu_command(&["export", "in-toto"]);
    let said = Said::of(command.env("PATH", team.without_keygen()).output().expect("the program")).expect(3);
    assert!(said.out.is_empty() && said.err.contains("ssh-keygen was not found"), "{} {}", said.out, said.err);
}

// T34
#[test]
#[ignore = "needs ssh-keygen"]
fn an_envelope_is_proven_by_hand_with_printf_and_ssh_keygen() {
    let team = Team::with_policy(SIGNED);
    team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
    let key = team.key("ann").display().to_string();
    let said = team.s.yatsu(&["export", "in-toto", "--sign", "--signing-key", &key]).expect(0);
    team.s.write("envelope", &said.out);
    let script = r#"set -e
        field() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/" envelope; }
        field payload | base64 -d > payload
        printf 'DSSEv1 %d %s %d ' "$(field payloadType | tr -d '\n' | wc -c)" "$(field payloadType)" "$(wc -c < payload)" > message
        cat payload >> message
        { echo '-----BEGIN SSH SIGNATURE-----'; field sig | fold -w 70; echo '-----END SSH SIGNATURE-----'; } > sig
        ssh-keygen -Y verify -n yatsu-hook -I ann@example.org -f trust/allowed_signers -s sig < message
        field keyid"#;
    let mut shell = hermetic("sh", &team.s.home());
    let by_hand = Said::of(shell.current_dir(&team.s.root).args(["-c", script]).output().expect("a shell")).expect(0);
    assert!(
        by_hand.out.contains("Good \"yatsu-hook\" signature for ann@example.org"),
        "{} {}",
        by_hand.out,
        by_hand.err
    );
    let fingerprint = team.keygen(&["-lf", &format!("{key}.pub")]).out;
    assert_eq!(by_hand.out.lines().last(), fingerprint.split(' ').nth(1), "keyid");
    let plain = team.s.yatsu(&["export", "in-toto"]).expect(0).out;
    assert_eq!(team.s.read("payload"), plain.trim_end(), "the payload is the statement");
    let envelope: Value = serde_json::from_str(&said.out).expect("an envelope");
    assert_eq!(envelope["payloadType"], "application/vnd.in-toto+json");
    // the signature of an envelope is no signature of a line, and cannot become one
    let sig = envelope["signatures"][0]["sig"].as_str().unwrap_or_default().to_owned();
    team.sign("ann", &[]).expect(0);
    let line = team.last_line();
    let (body, _) = line.split_once("\"sig\":\"").expect("a signature");
    team.replace_last(&format!("{body}\"sig\":\"{sig}\"}}"));
    team.s.git(&["add", "-A"]);
    assert!(team.s.yatsu(&["pre-commit"]).expect(1).err.contains("error[signature-broken]"));
}

// T34
#[test]
#[ignore = "needs ssh-keygen"]
fn an_envelope_needs_a_key_that_signs() {
    let team = Team::with_policy(SIGNED);
    team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
    let none = team.s.yatsu(&["export", "in-toto", "--sign"]).expect(2);
    assert!(none.err.contains("no key is named") && none.err.contains("--signing-key"), "{}", none.err);
    team.s.yatsu(&["export", "in-toto", "--signing-key", "x"]).expect(2);
    let missing = team.s.yatsu(&["export", "in-toto", "--sign", "--signing-key", "/nowhere"]).expect(3);
    assert!(missing.out.is_empty() && missing.err.contains("could not sign"), "{}", missing.err);
}

// T35
#[test]
#[ignore = "needs ssh-keygen"]
fn another_clone_in_another_directory_at_another_time_zone_exports_the_same_bytes() {
    let team = Team::with_policy(INDEPENDENT);
    two_scenarios(&team.s);
    team.edit("changed");
    team.commit_as("ann@example.org", "");
    team.s.write("picture.json", "{\"a\": 1}");
    team.s.yatsu(&["eval", "n/more", "--fail", "--result", "picture.json"]).expect(0);
    team.s.yatsu(&["eval", "n/works", "--pass"]).expect(0);
    team.sign("bob", &[]).expect(0);
    team.s.commit("measured");
    let key = team.key("bob").display().to_string();
    let url = team.s.root.display().to_string();
    team.s.git(&["clone", "-q", "-b", "main", &url, "../elsewhere"]);
    team.s.git(&["clone", "-q", "--bare", &url, "../bare.git"]);
    for more in [&[][..], &["--sign", "--signing-key", &key]] {
        let own = team.s.yatsu(&[&["export", "in-toto", "--rev", "HEAD"], more].concat()).expect(0).out;
        assert_eq!(own.lines().count(), 2);
        assert_eq!(team.s.yatsu(&[&["export", "in-toto"], more].concat()).expect(0).out, own, "again");
        for clone in ["../elsewhere", "../bare.git"] {
            let mut command = team.s.yatsu_command(&[&["-C", clone, "export", "in-toto"], more].concat());
            command.env("TZ", "Asia/Kathmandu").env("LC_ALL", "tr_TR.UTF-8");
            assert_eq!(Said::of(command.output().expect("the program")).expect(0).out, own, "{clone}");
        }
    }
}
