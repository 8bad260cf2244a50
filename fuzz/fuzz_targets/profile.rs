//! Any bytes are a profile or a configuration error with a place, and a profile that is read describes what it should.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::error::ErrorKind;
use yatsu_hook::features::runlogs::model::parse_profile;
use yatsu_hook::features::runlogs::model::profile::LogPosition;

fuzz_target!(|bytes: &[u8]| match parse_profile("p.json", bytes) {
    Ok(profile) => {
        assert!(profile.at(LogPosition::First).is_some() && profile.at(LogPosition::Second).is_some());
        assert!(profile.phases.windows(2).all(|pair| pair[0].n < pair[1].n));
        assert!(profile.major().is_some());
    }
    Err(error) => {
        assert_eq!(error.kind, ErrorKind::Config);
        assert!(error.message.starts_with("p.json:"));
    }
});
