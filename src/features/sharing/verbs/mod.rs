//! The verb `share`, and what sharing adds to `clean` and to a push.

mod cloud;
pub(super) mod on_push;
pub(super) mod share;
pub(super) mod share_args;
