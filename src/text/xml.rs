//! What all readers of XML share: only UTF-8, and only the five entities of XML itself, so that no entity can grow or read a
//! file.

use super::escape::echo;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesDecl, BytesRef};

/// Refuses a declaration of another encoding. `what` names the document, for example `report`.
pub(crate) fn refuse_other_than_utf8(declaration: &BytesDecl<'_>, what: &str) -> Result<(), String> {
    match declaration.encoding() {
        None => Ok(()),
        Some(Ok(name)) if name.eq_ignore_ascii_case("utf-8") => Ok(()),
        Some(Ok(name)) => Err(format!("the {what} says that it is {}; only UTF-8 is read", echo(&name))),
        Some(Err(error)) => Err(format!("the {what} is no XML: {error}")),
    }
}

/// The text of a reference: a character by its number, or one of XML's own five entities.
pub(crate) fn resolved(reference: &BytesRef<'_>) -> Result<String, String> {
    let character = reference.resolve_char_ref().map_err(|error| format!("the reference is no XML: {error}"))?;
    if let Some(character) = character {
        return Ok(character.to_string());
    }
    let name = reference.xml10_content();
    let known = resolve_predefined_entity(&name);
    known.map(str::to_owned).ok_or_else(|| format!("the entity `{}` is not declared, and none are read", echo(&name)))
}
