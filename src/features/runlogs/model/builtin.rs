//! The built-in profiles, for logs in known places without configuration.

use super::profile::Profile;
use super::profile_read;
use std::sync::LazyLock;

/// A run of the quality playbook.
pub const QUALITY_PLAYBOOK: &str = "quality-playbook";
/// A cycle of many runs of the quality playbook.
pub const CALIBRATION_CYCLE: &str = "calibration-cycle";
/// A run log of this program itself.
pub const MEASURE: &str = "measure";

/// Name and text of each profile.
const TEXTS: [(&str, &str); 3] = [
    (QUALITY_PLAYBOOK, include_str!("../../../../profiles/quality-playbook.json")),
    (CALIBRATION_CYCLE, include_str!("../../../../profiles/calibration-cycle.json")),
    (MEASURE, include_str!("../../../../profiles/measure.json")),
];

/// Parsed once, on first use. A test parses all three, so that none is ever skipped here.
static PROFILES: LazyLock<Vec<Profile>> =
    LazyLock::new(|| TEXTS.iter().filter_map(|(name, text)| profile_read::parse(name, text.as_bytes()).ok()).collect());

/// The profile with that name.
pub fn find(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.name == name)
}

/// The names of these profiles.
pub fn names() -> [&'static str; 3] {
    TEXTS.map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::runlogs::model::profile::{ArtifactRule, LogPosition};

    #[test]
    fn every_profile_that_comes_along_is_read() {
        for (name, text) in TEXTS {
            let profile = profile_read::parse(name, text.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(profile.name, name);
            assert!(find(name).is_some());
            assert_eq!(profile.at(LogPosition::First).map(|event| event.name.as_str()), Some("_index"));
        }
    }

    #[test]
    fn the_playbook_has_six_phases_and_asks_something_of_each() {
        let playbook = find(QUALITY_PLAYBOOK).unwrap();
        let names: Vec<&str> = playbook.phases.iter().map(|phase| phase.name.as_str()).collect();
        assert_eq!(names, ["Explore", "Generate", "Code Review", "Spec Audit", "Reconciliation", "Verify"]);
        assert!(playbook.phases.iter().all(|phase| !phase.requires.is_empty()));
        assert_eq!(playbook.phases[1].requires.len(), 10, "nine names and the functional test");
        assert!(matches!(playbook.end.as_slice(), [ArtifactRule::Count { .. }]));
    }
}
