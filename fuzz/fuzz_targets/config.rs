//! Any bytes are a configuration or a configuration error, and a configuration is never weaker than itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::error::ErrorKind;
use yatsu_hook::model::config::{lowered, parse};

fuzz_target!(|bytes: &[u8]| match parse(bytes) {
    Ok(config) => assert!(lowered(&config, &config).is_empty()),
    Err(error) => assert_eq!(error.kind, ErrorKind::Config),
});
