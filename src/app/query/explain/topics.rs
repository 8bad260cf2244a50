//! Topics of `explain`: texts that belong to no rule and no key, e.g. `exit-codes`.

/// The block of yatsu-hook in the file that agents read, with its marks.
const AGENTS: &str = include_str!("agents.md");
/// What each exit code means, and what to do.
const EXIT_CODES: &str = include_str!("exit-codes.md");

/// How evidence reaches other machines.
const SHARING: &str = include_str!("sharing.md");

pub(crate) fn topic(name: &str) -> Option<&'static str> {
    match name {
        "agents" => Some(AGENTS),
        "exit-codes" => Some(EXIT_CODES),
        "sharing" => Some(SHARING),
        _ => None,
    }
}

pub(crate) fn topic_names() -> [&'static str; 3] {
    ["agents", "exit-codes", "sharing"]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_for_agents_is_short_and_marked() {
        assert!(AGENTS.lines().count() <= 60, "{}", AGENTS.lines().count());
        assert!(AGENTS.starts_with("<!-- yatsu-hook:begin -->\n") && AGENTS.ends_with("<!-- yatsu-hook:end -->\n"));
        assert!(topic_names().iter().all(|name| topic(name).is_some()));
    }
}
