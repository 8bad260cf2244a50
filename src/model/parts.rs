//! What features keep beside the facts of the core: one value a type. A reader imports the type, so that every reader is seen
//! among the imports; with one field a feature each file that knows the facts would know all features.

use std::any::Any;
use std::fmt::{self, Debug, Formatter};
use std::rc::Rc;

/// The values of features. Empty by default, without an allocation: a hook pays for no feature that has nothing to say.
#[derive(Clone, Default)]
pub(crate) struct Parts(Vec<Rc<dyn Any>>);

impl Parts {
    /// The value of this type; a feature has a default for the case that there is none.
    pub(crate) fn get<T: Any>(&self) -> Option<&T> {
        self.0.iter().find_map(|part| part.downcast_ref())
    }

    /// Keeps `part`, and no longer the value of its type that was there.
    pub(crate) fn put<T: Any>(&mut self, part: T) {
        self.0.retain(|old| !old.is::<T>());
        self.0.push(Rc::new(part));
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
}
