//! Labels that the caller chooses: the idempotency key of a reading, the run that several readings share, and an
//! environment. Input: text. Output: a valid value.

/// Declares a label by its form in words, and by which texts have that form.
macro_rules! label {
    ($(#[$doc:meta])* $name:ident, $form:literal, $fits:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            pub(crate) const FORM: &'static str = $form;

            /// The label with that spelling; `None` for any other text.
            pub(crate) fn parse(text: &str) -> Option<Self> {
                let fits: fn(&str) -> bool = $fits;
                fits(text).then(|| Self(text.to_owned()))
            }

            /// The spelling in files and on a command line.
            pub(crate) fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

pub(crate) use label;

label! {
    /// An idempotency key: 1 to 128 printable ASCII characters without space.
    ReadingKey, "1 to 128 printable ASCII characters without space",
    |text| (1..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

label! {
    /// The name of a run: its readings share a budget.
    RunId, "1 to 64 letters, digits, dots, underscores and hyphens",
    |text| (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

label! {
    /// One of the environments in which a scenario is measured, for example `firefox`, or the name of a model.
    EnvName, "1 to 64 letters, digits and . _ : @ / -",
    |text| (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._:@/-".contains(&byte))
}

/// The flag that names an environment, as one types it: `--env firefox`, and `--env=-Os`, which would be a flag of its own.
pub(crate) fn env_flag(name: &str) -> String {
    format!("--env{}{name}", if name.starts_with('-') { '=' } else { ' ' })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_printable_ascii_without_space() {
        for text in ["k", "!", "~", "a/b:1", &"x".repeat(128)] {
            assert_eq!(ReadingKey::parse(text).unwrap().as_str(), text);
        }
        for text in ["", " ", "a b", "a\n", "\u{7f}", "caf\u{e9}", &"x".repeat(129)] {
            assert_eq!(ReadingKey::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn an_environment_is_a_name_of_a_browser_a_device_or_a_model() {
        for text in ["firefox", "vendor/model-4.1@2026", "linux:arm64", "-", &"x".repeat(64)] {
            assert_eq!(EnvName::parse(text).unwrap().as_str(), text);
        }
        for text in ["", "a b", "a,b", "a#b", "\u{e9}", &"x".repeat(65)] {
            assert_eq!(EnvName::parse(text), None, "{text:?}");
        }
        assert_eq!([env_flag("firefox"), env_flag("-Os")], ["--env firefox", "--env=-Os"]);
    }

    #[test]
    fn a_run_is_a_plain_word() {
        for text in ["r", "2026-01-31.a_b", ".", "-", &"x".repeat(64)] {
            assert_eq!(RunId::parse(text).unwrap().as_str(), text);
        }
        for text in ["", "a b", "a/b", "a:b", "\u{e9}", &"x".repeat(65)] {
            assert_eq!(RunId::parse(text), None, "{text:?}");
        }
    }
}
