//! The event graph as data: what is said to change it ([`op`]), what an event log of other programs says ([`event`]), what may
//! stand in it ([`shape`]), what its nodes are called ([`node`]) and the values they hold ([`value`]). Texts in, plain data out,
//! and back. Judges no repository.

pub mod event;
pub mod node;
pub mod op;
pub mod shape;
pub mod value;
