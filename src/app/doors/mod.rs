//! Where content comes in or is asked about: each door says what is judged and what it is compared with, and hands that to
//! [`super::judge`].

pub mod memo;
pub mod push;
pub mod quiet;
pub mod remember;
pub mod scan;
pub mod validate;
