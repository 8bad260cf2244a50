//! The content that a measurement would measure now. Input: scenarios. Output: a [`BegunContent`]. `begin` prints it as a
//! token, and `eval --began` compares the token with the content after the measurement.

use super::Site;
use crate::engine::anchors::Anchors;
use crate::engine::freshness::governed;
use crate::engine::units::SymbolFound;
use crate::error::{Error, Result};
use crate::model::began::BegunContent;
use crate::model::governed::Governed;
use crate::model::ledger::Stamped;
use crate::model::links::file_at;
use crate::model::node::Declared;
use crate::model::stamp::{NamedTree, expand};
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use bstr::BString;
use sha2::{Digest, Sha256};

/// The texts, the governed content and the tests of `scenarios` in `view`, a view of the work tree.
///
/// # Errors
/// If something cannot be read or parsed.
pub(crate) fn content(site: &dyn Site, view: &dyn Tree, scenarios: &[Declared<'_>]) -> Result<BegunContent> {
    let (anchors, mut content) = (site.anchors(), BegunContent::default());
    // git's id of a file may need an external filter, which never runs; then the bytes on disk stand for the content
    let raw = |path: &RepoPath| {
        let bytes = view.read(path)?.unwrap_or_default();
        Oid::from_bytes(&Sha256::digest(bytes)).ok_or_else(|| Error::fault("a hash has another length"))
    };
    let named = NamedTree { inner: view, name: &raw };
    for one in scenarios {
        content.select(&one.node.dir, &one.scenario.name);
        if let Some(file) = &one.node.file {
            content.add(file.path.to_bstring(), format!("{} {}", one.scenario.name, one.scenario.text_hash));
        }
        let test = one.scenario.test_entry();
        for entry in governed(one.node, one.scenario).iter().chain(&test) {
            match unit(view, &anchors, entry)? {
                Some((name, unit)) => content.add(name, unit),
                None => add_files(site, &named, entry, &mut content)?,
            }
        }
    }
    site.leave_units(anchors.units());
    Ok(content)
}

/// The name and the content of the unit that a `path#symbol` means; `None` if the entry means whole files.
fn unit(view: &dyn Tree, anchors: &Anchors, entry: &Governed) -> Result<Option<(BString, String)>> {
    let (Ok(path), Some(symbol)) = (&entry.path, entry.symbol()) else { return Ok(None) };
    let Some(file) = file_at(view, path)? else { return Ok(None) };
    let Some(SymbolFound::Unit(id)) = anchors.units().in_view(view, &file, symbol)? else { return Ok(None) };
    let kind = view.kind(&file)?;
    Ok(Some((format!("{path}#{symbol}").into(), format!("{kind:?} {id} {file}"))))
}

fn add_files(site: &dyn Site, view: &dyn Tree, entry: &Governed, content: &mut BegunContent) -> Result<()> {
    for (path, stamped) in expand(view, entry)?.files {
        // an edited submodule has no id. `+` shows that it became edited or clean, not a further edit
        let is_edited = matches!(stamped, Stamped::Submodule(_)) && site.is_submodule_edited(&path)?;
        content.add(path.to_bstring(), stamped.to_text() + if is_edited { "+" } else { "" });
    }
    Ok(())
}
