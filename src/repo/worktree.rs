//! The working tree as git would commit it.
