//! Time limits on slow machines.

use std::sync::OnceLock;
use std::time::Duration;

/// The variable that says how many times longer than usual we wait: `YATSU_PATIENCE=10`.
const VARIABLE: &str = "YATSU_PATIENCE";

/// The time limit that is `usual` on a quiet machine, as long as the user wants it on this one. A text that is no number from
/// 1 to 1000 changes nothing.
pub(crate) fn time_limit(usual: Duration) -> Duration {
    static TIMES: OnceLock<u32> = OnceLock::new();
    usual * *TIMES.get_or_init(|| times(std::env::var(VARIABLE).ok().as_deref()))
}

fn times(said: Option<&str>) -> u32 {
    said.and_then(|said| said.parse().ok()).filter(|times| (1..=1000).contains(times)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_taken_and_nothing_else() {
        assert_eq!((times(Some("10")), times(Some("1000")), times(None)), (10, 1000, 1));
        for wrong in ["", "0", "-1", "1.5", "1001", "ten"] {
            assert_eq!(times(Some(wrong)), 1, "{wrong}");
        }
    }
}
