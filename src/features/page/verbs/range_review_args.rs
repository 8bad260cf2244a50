//! The arguments of `report --pr`.

use clap::Args;
use clap::builder::RangedU64ValueParser;

/// The longest comment in bytes, by default. GitHub accepts 65,536 characters.
const LIMIT: &str = "60000";
/// The longest address of a page in bytes.
const ADDRESS: usize = 500;

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RangeReviewArgs {
    /// Print a comment for a pull request, as Markdown: what the commits from A to B did to the scenarios
    #[arg(long, requires_all = ["from", "to"], conflicts_with_all = ["html", "badge", "nodes", "tags", "rev", "without_evidence", "force"])]
    pub(crate) pr: bool,
    /// Where the range begins
    #[arg(long, value_name = "A", requires = "pr")]
    pub(crate) from: Option<String>,
    /// Where the range ends
    #[arg(long, value_name = "B", requires = "pr")]
    pub(crate) to: Option<String>,
    /// Link every scenario to its article on the page at this address
    #[arg(long, value_name = "URL", requires = "pr", value_parser = address)]
    pub(crate) page: Option<String>,
    /// Show pictures from before and after, as files to attach; `--format json` says how to get them
    #[arg(long, requires = "pr")]
    pub(crate) pictures: bool,
    /// Show the notes of fresh fails, which say why; a comment that was posted cannot be redacted
    #[arg(long, requires = "pr")]
    pub(crate) notes: bool,
    /// Say whether the scenarios govern the same content as at this commit, for a merge queue
    #[arg(long, value_name = "REV", requires = "pr")]
    pub(crate) checked: Option<String>,
    /// Treat warnings as errors, as `check --strict` does
    #[arg(long, requires = "pr")]
    pub(crate) strict: bool,
    /// Cut the comment to this many bytes
    #[arg(long, value_name = "BYTES", requires = "pr", default_value = LIMIT, value_parser = RangedU64ValueParser::<usize>::new().range(2_000..=900_000))]
    pub(crate) limit: usize,
}

/// The address of a page. It stands in a Markdown link inside of a table, so it has no character that could end either.
fn address(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_plain = |c: char| c.is_alphanumeric() || "-._~:/?@!$&*+,;=%".contains(c);
    match rest {
        Some(rest) if !rest.is_empty() && rest.chars().all(is_plain) && text.len() <= ADDRESS => Ok(text.to_owned()),
        _ => Err(format!(
            "an address begins with https:// or http://, has at most {ADDRESS} bytes, and no blank, quote, bracket or `#`"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn an_address_cannot_leave_its_link() {
        for good in [
            "https://example.org/a/b.html",
            "http://localhost:8000/",
            "https://e.org/?a=b&c=%20",
            "https://é.org/x_y~z",
        ] {
            assert_eq!(address(good).as_deref(), Ok(good));
        }
        for bad in [
            "",
            "https://",
            "ftp://example.org/",
            "javascript:alert(1)",
            "https://e.org/a b",
            "https://e.org/)",
            "https://e.org/]",
            "https://e.org/<b>",
            "https://e.org/\"",
            "https://e.org/'",
            "https://e.org/`",
            "https://e.org/|",
            "https://e.org/\\",
            "https://e.org/#open=s-1",
            "https://e.org/\n",
            "https://e.org/\u{202e}",
            "https://e.org/\u{1b}[2J",
        ] {
            assert!(address(bad).is_err(), "{bad:?}");
        }
        assert!(address(&format!("https://e.org/{}", "a".repeat(500))).is_err());
    }
}
