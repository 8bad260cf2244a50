//! The event graph as data: its changes ([`op`]), events of other programs ([`event`]), the allowed kinds and relations
//! ([`shape`]), the ids of its nodes ([`node`]) and their values ([`value`]). Converts texts to plain data and back. Judges
//! no repository.

pub(crate) mod answer;
pub mod event;
pub mod node;
pub mod op;
pub mod shape;
pub mod value;
