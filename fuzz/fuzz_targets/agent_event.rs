//! Any bytes are one event or none; an event names no relative directory, and an exit code comes from two programs alone.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::features::agents::model::agent_event::{CallExit, EventKind, Speaker, read};

fuzz_target!(|bytes: &[u8]| {
    for said in [None, Some(Speaker::Codex), Some(Speaker::Cursor)] {
        let Some(event) = read(bytes, said) else { continue };
        assert!(event.session.as_deref() != Some("") && event.call.as_deref() != Some(""));
        assert!(event.place.iter().chain(&event.cwd).all(|directory| directory.is_absolute()));
        match event.kind {
            EventKind::AfterCommand(call) => {
                assert!(!call.command.is_empty() && call.directory.is_none_or(|directory| directory.is_absolute()));
                let proves = matches!(event.speaker, Speaker::Claude | Speaker::Cursor);
                assert!(proves || matches!(call.exit, CallExit::Unknown(_)));
            }
            EventKind::AfterEdit(paths) => assert!(paths.len() <= 256 && paths.iter().all(|path| !path.is_empty())),
            EventKind::SessionStart { .. } | EventKind::Stop { .. } | EventKind::Other => {}
        }
    }
});
