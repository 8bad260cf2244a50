//! What features keep beside the facts of the core: one value a type. A reader imports the type, so that every reader is seen
//! among the imports; with one field a feature each file that knows the facts would know all features.

use std::any::Any;
use std::fmt::{self, Debug, Formatter};
use std::rc::Rc;

/// The values of features. Empty by default, without an allocation: a hook pays for no feature that has nothing to say.
#[derive(Clone, Default)]
pub(crate) struct Parts(Vec<Rc<dyn Part>>);

/// A value of any type that can be compared.
trait Part: Any {
    fn is_same(&self, other: &dyn Any) -> bool;
}

impl<T: Any + PartialEq> Part for T {
    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

impl Parts {
    /// The value of this type; a feature has a default for the case that there is none.
    pub(crate) fn get<T: Any>(&self) -> Option<&T> {
        self.0.iter().find_map(|part| (&**part as &dyn Any).downcast_ref())
    }

    /// Keeps `part`, and no longer the value of its type that was there.
    pub(crate) fn put<T: Any + PartialEq>(&mut self, part: T) {
        self.0.retain(|old| !(&**old as &dyn Any).is::<T>());
        self.0.push(Rc::new(part));
    }

    /// Gives `to` the value of this type, or none.
    pub(crate) fn copy<T: Any>(&self, to: &mut Self) {
        let is_it = |part: &Rc<dyn Part>| (&**part as &dyn Any).is::<T>();
        to.0.retain(|old| !is_it(old));
        to.0.extend(self.0.iter().find(|part| is_it(part)).cloned());
    }
}

/// Whether both have the same values, in whatever order they were put.
impl PartialEq for Parts {
    fn eq(&self, other: &Self) -> bool {
        let has = |part: &Rc<dyn Part>| other.0.iter().any(|other| part.is_same(&**other));
        self.0.len() == other.0.len() && self.0.iter().all(has)
    }
}

impl Debug for Parts {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "Parts({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::Parts;

    #[test]
    fn a_type_has_one_value() {
        let mut parts = Parts::default();
        assert_eq!(parts.get::<u8>(), None);
        parts.put(1_u8);
        parts.put("one");
        parts.put(2_u8);
        assert_eq!((parts.get::<u8>(), parts.get::<&str>(), parts.get::<u16>()), (Some(&2), Some(&"one"), None));
        assert_eq!(parts.0.len(), 2);
    }

    #[test]
    fn equal_parts_have_the_same_values_in_any_order() {
        let of = |number: u8, text: &'static str| {
            let mut parts = [Parts::default(), Parts::default()];
            parts[0].put(number);
            parts[0].put(text);
            parts[1].put(text);
            parts[1].put(number);
            parts
        };
        let ([one, turned], [other, _]) = (of(1, "one"), of(2, "one"));
        assert_eq!(one, turned);
        assert_ne!(one, other);
        assert_ne!(one, Parts::default());
    }
}
