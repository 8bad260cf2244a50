//! Time limits on slow machines.

use std::time::Duration;

/// The variable that says how many times longer than usual we wait: `YATSU_PATIENCE=10`.
const VARIABLE: &str = "YATSU_PATIENCE";

/// The time limit that is `usual` on a quiet machine, as long as the user wants it on this one. A text that is no number from
/// 1 to 1000 changes nothing.
pub(crate) fn time_limit(usual: Duration) -> Duration {
    limit(usual, std::env::var(VARIABLE).ok().as_deref())
}

fn limit(usual: Duration, said: Option<&str>) -> Duration {
    usual * said.and_then(|said| said.parse().ok()).filter(|times| (1..=1000).contains(times)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_taken_and_nothing_else() {
        let seconds = |said| limit(Duration::from_secs(3), said).as_secs();
        assert_eq!((seconds(Some("10")), seconds(Some("1000")), seconds(None)), (30, 3000, 3));
        for wrong in ["", "0", "-1", "1.5", "1001", "ten"] {
            assert_eq!(seconds(Some(wrong)), 3, "{wrong}");
        }
    }
}
