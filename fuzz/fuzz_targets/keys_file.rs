//! The files of keys: any bytes are read; what is read and written again admits and revokes the same keys. And a signature,
//! as bytes and as base64: its frame for `ssh-keygen` loses nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::features::trust::model::keys::{Judges, Revoked, SshSignature};

fuzz_target!(|bytes: &[u8]| {
    let (judges, _) = Judges::parse(bytes);
    let (again, bad) = Judges::parse(judges.text().as_bytes());
    assert!(bad.is_empty());
    assert_eq!(again, judges);
    let (revoked, _) = Revoked::parse(bytes);
    if let Some(content) = revoked.content() {
        let (again, _) = Revoked::parse(&content);
        assert_eq!(again, revoked);
    }
    SshSignature::of_blob(bytes);
    if let Some(text) = std::str::from_utf8(bytes).ok().filter(|text| SshSignature::parse(text).is_some()) {
        assert_eq!(SshSignature::unarmoured(SshSignature::armoured(text).as_bytes()).as_deref(), Some(text));
    }
});
