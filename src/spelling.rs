//! Enums whose values have a public spelling, the same in configuration, messages and documents.

/// Declares such an enum: each value with its spelling, for example `Info = "info"`. The enum gets `ALL`, `as_str`, `parse`
/// and a serialised form, so that a value and its spelling stand in one place.
macro_rules! spelled {
    (
        $(#[$about:meta])*
        $vis:vis enum $name:ident { $($(#[$doc:meta])* $value:ident = $word:literal,)+ }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $($(#[$doc])* $value,)+ }

        #[allow(dead_code)] // few enums use all of it
        impl $name {
            /// Every value, in the order of the declaration.
            $vis const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// The public spelling.
            $vis fn as_str(self) -> &'static str {
                match self { $(Self::$value => $word,)+ }
            }

            /// The value with that public spelling.
            $vis fn parse(text: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.as_str() == text)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }
    };
}
