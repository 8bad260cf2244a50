//! The switch in an environment that turns this program's hooks off.

/// The variable that does it, with its value; `None` if the hooks are on. `SKIP` is a list of hook ids, as in
/// pre-commit.
pub(crate) fn env_switch(value: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    if value("YATSU_HOOK").is_some_and(|value| value == "0") {
        return Some("YATSU_HOOK=0");
    }
    value("SKIP")?.split(',').any(|id| id.trim() == "yatsu-hook").then_some("SKIP=yatsu-hook")
}
