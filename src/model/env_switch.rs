//! The switch in an environment that turns this program's hooks off.

/// The variable of an environment that switches this program's hooks off, with its value. `SKIP` is a list of hook ids, as in
/// pre-commit.
pub(crate) fn env_switch(value: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    if value("YATSU_HOOK").is_some_and(|value| value == "0") {
        return Some("YATSU_HOOK=0");
    }
    value("SKIP")?.split(',').any(|id| id.trim() == "yatsu-hook").then_some("SKIP=yatsu-hook")
}
