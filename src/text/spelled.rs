//! Enums with one public spelling a variant, for example `Pass = "pass"`: the variants, their words and both ways between
//! them from one table.

/// Declares an enum, and with it `ALL` in the order of the variants, `as_str`, `parse` and the spelling as serialised form.
macro_rules! spelled {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        $vis enum $name { $($(#[$doc])* $variant,)+ }

        #[allow(dead_code, reason = "not every enum is listed and read")]
        impl $name {
            /// Every variant, in the order of the declaration.
            $vis const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The public spelling.
            $vis const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The variant with that spelling.
            $vis fn parse(text: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.as_str() == text)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }
    };
}

pub(crate) use spelled;
