//! Lines of JSON, each read on its own.
