//! The block between the first two `---` lines of a Markdown file.
