//! Reads the files that declare a package or a module, for example `go.mod` and `Cargo.toml`.

use crate::error::Result;
use crate::tree::Tree;
use crate::tree::path::RepoPath;

/// Every directory with a file called `name`, for example `go.mod`, and the answer of `read` about its text.
pub(crate) fn declared(
    view: &dyn Tree,
    files: &[RepoPath],
    name: &str,
    read: fn(&str) -> Option<String>,
) -> Result<Vec<(RepoPath, String)>> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.name() == name) {
        let bytes = view.read(file)?.unwrap_or_default();
        let declared = std::str::from_utf8(&bytes).ok().and_then(read);
        found.extend(declared.map(|declared| (file.parent().unwrap_or_default(), declared)));
    }
    Ok(found)
}

/// The module declared in a `go.mod`.
pub(crate) fn go_module(text: &str) -> Option<String> {
    let mut lines = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
    let declared = lines.find_map(|line| line.strip_prefix("module").filter(|rest| rest.starts_with([' ', '\t'])))?;
    Some(declared.trim().trim_matches('"').to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::go_module;

    #[test]
    fn a_module_is_told_by_what_declares_it() {
        assert_eq!(go_module("// x\nmodule example.org/a // b\n\ngo 1.19\n").as_deref(), Some("example.org/a"));
        assert_eq!(go_module("modules x\n"), None);
    }
}
