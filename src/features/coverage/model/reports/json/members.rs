//! Readers of JSON values as a stream: an object member by member, a list item by item.

use crate::features::coverage::model::reports::record::MAX_NAME;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor,
};
use std::fmt;
use std::marker::PhantomData;

/// Reads one member after the other.
pub(super) trait Members {
    /// Whether a value of another kind is skipped and not refused.
    const ANY_KIND: bool = false;

    /// The value is an object.
    fn begin(&mut self) {}

    /// The value is a text.
    fn text(&mut self, _: &str) -> Result<(), String> {
        Ok(())
    }

    /// Reads the value of `key`.
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;
}

/// Skips the value.
pub(super) fn ignore<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(drop)
}

/// The value is an object.
pub(super) struct Object<'a, M>(pub(super) &'a mut M);

/// Reads an object.
pub(super) fn read_members<'de, M: Members, D: Deserializer<'de>>(members: &mut M, from: D) -> Result<(), D::Error> {
    Object(members).deserialize(from)
}

impl<'de, M: Members> DeserializeSeed<'de> for Object<'_, M> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        if M::ANY_KIND { from.deserialize_any(self) } else { from.deserialize_map(self) }
    }
}

impl<M: Members> Object<'_, M> {
    fn other<E: Error>(self, value: Unexpected<'_>) -> Result<(), E> {
        if M::ANY_KIND { Ok(()) } else { Err(E::invalid_type(value, &self)) }
    }
}

impl<'de, M: Members> Visitor<'de> for Object<'_, M> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.0.begin();
        while let Some(key) = map.next_key::<String>()? {
            self.0.member(&key, &mut map)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        self.other(Unexpected::Seq)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.other(Unexpected::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.other(Unexpected::Signed(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.other(Unexpected::Unsigned(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.other(Unexpected::Float(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.0.text(text).map_err(E::custom)?;
        self.other(Unexpected::Other("text"))
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.other(Unexpected::Unit)
    }
}

/// Hands each member with a small value to a function, which may refuse it.
pub(super) struct Each<T, F>(F, PhantomData<T>);

impl<T, F> Each<T, F> {
    pub(super) fn new(each: F) -> Self {
        Self(each, PhantomData)
    }
}

impl<T: for<'a> Deserialize<'a>, F: FnMut(&str, T) -> Result<(), String>> Members for Each<T, F> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let value = map.next_value()?;
        self.0(key, value).map_err(A::Error::custom)
    }
}

/// Hands each item of a list to a function, which may refuse it.
pub(super) struct Items<T, F>(F, PhantomData<T>);

impl<T, F> Items<T, F> {
    pub(super) fn new(each: F) -> Self {
        Self(each, PhantomData)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> DeserializeSeed<'de> for Items<T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> Visitor<'de> for Items<T, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(item) = list.next_element()? {
            self.0(item).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

/// A text of at most 4096 bytes; `None`: a value of another kind.
pub(super) struct Text(pub(super) Option<String>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut reader = TextReader(None);
        from.deserialize_any(Object(&mut reader))?;
        Ok(Self(reader.0))
    }
}

struct TextReader(Option<String>);

impl Members for TextReader {
    const ANY_KIND: bool = true;

    fn text(&mut self, text: &str) -> Result<(), String> {
        if text.len() > MAX_NAME {
            return Err(format!("a name is longer than {MAX_NAME} bytes"));
        }
        self.0 = Some(text.to_owned());
        Ok(())
    }

    fn member<'de, A: MapAccess<'de>>(&mut self, _: &str, map: &mut A) -> Result<(), A::Error> {
        ignore(map)
    }
}
