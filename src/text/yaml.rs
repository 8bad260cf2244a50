//! YAML with a position on every value, and without anchors, aliases, merge keys, tags and further documents.
