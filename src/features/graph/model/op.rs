//! The seven state ops, the only changes of a graph. Reads an op from its line, or finds its fault; writes an op as its
//! only possible line.

use super::value::{PropValue, Props, write_text};
use crate::text::escape::echo;
use crate::text::json::{Json, JsonValue};

/// The names of the ops, in the order of the variants.
const CREATE_NODE: &str = "CreateNode";
const UPDATE_NODE: &str = "UpdateNode";
const TOMBSTONE_NODE: &str = "TombstoneNode";
const MARK_STALE: &str = "MarkStale";
const CREATE_RELATION: &str = "CreateRelation";
const DELETE_RELATION: &str = "DeleteRelation";
const ATTACH_ARTIFACT: &str = "AttachArtifact";

const NAMES: [&str; 7] =
    [CREATE_NODE, UPDATE_NODE, TOMBSTONE_NODE, MARK_STALE, CREATE_RELATION, DELETE_RELATION, ATTACH_ARTIFACT];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateOp {
    CreateNode {
        id: String,
        kind: String,
        props: Props,
    },
    /// Changes the properties of a node.
    UpdateNode {
        id: String,
        /// The properties, merged into the existing ones.
        props: Props,
    },
    /// Marks a node as no longer valid; it stays in the graph.
    TombstoneNode {
        id: String,
    },
    /// Marks a node as no longer valid for the current state.
    MarkStale {
        id: String,
        reason: String,
    },
    /// Creates a relation between two nodes.
    CreateRelation {
        from: String,
        rel: String,
        to: String,
        props: Props,
    },
    /// Deletes a relation between two nodes.
    DeleteRelation {
        from: String,
        rel: String,
        to: String,
    },
    AttachArtifact {
        id: String,
        /// The artifact: its place, its hash, a summary.
        artifact: PropValue,
    },
}

impl StateOp {
    /// A new node of `kind`.
    pub fn create(id: impl Into<String>, kind: &str, props: Props) -> Self {
        Self::CreateNode { id: id.into(), kind: kind.to_owned(), props }
    }

    /// A new relation without properties.
    pub fn relate(from: impl Into<String>, rel: &str, to: impl Into<String>) -> Self {
        Self::CreateRelation { from: from.into(), rel: rel.to_owned(), to: to.into(), props: Props::new() }
    }

    /// Writes its line, without a line end.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::CreateNode { id, kind, props } => {
                texts(CREATE_NODE, &[("id", id), ("kind", kind)], out);
                out.extend_from_slice(b",\"props\":");
                props.write(out);
            }
            Self::UpdateNode { id, props } => {
                texts(UPDATE_NODE, &[("id", id)], out);
                out.extend_from_slice(b",\"props\":");
                props.write(out);
            }
            Self::TombstoneNode { id } => texts(TOMBSTONE_NODE, &[("id", id)], out),
            Self::MarkStale { id, reason } => texts(MARK_STALE, &[("id", id), ("reason", reason)], out),
            Self::CreateRelation { from, rel, to, props } => {
                texts(CREATE_RELATION, &[("from", from), ("rel", rel), ("to", to)], out);
                out.extend_from_slice(b",\"props\":");
                props.write(out);
            }
            Self::DeleteRelation { from, rel, to } => {
                texts(DELETE_RELATION, &[("from", from), ("rel", rel), ("to", to)], out);
            }
            Self::AttachArtifact { id, artifact } => {
                texts(ATTACH_ARTIFACT, &[("id", id)], out);
                out.extend_from_slice(b",\"artifact\":");
                artifact.write(out);
            }
        }
        out.extend_from_slice(b"}}");
    }

    /// The op in `json`. Unknown keys are ignored.
    ///
    /// # Errors
    /// The fault as the end of a sentence that begins with "the op".
    pub fn read(json: &Json<'_>) -> Result<Self, String> {
        let JsonValue::Object(members) = &json.value else {
            return Err(format!("is {}, not an object", json.type_name()));
        };
        let [(name, fields)] = members.as_slice() else {
            return Err(format!("must have one key, one of {}", NAMES.join(", ")));
        };
        let text = |key: &str| match fields.get(key).map(|value| (value.as_str(), value)) {
            Some((Some(text), _)) if !text.is_empty() => Ok(text.to_owned()),
            Some((_, value)) => Err(format!("{name} needs a text as \"{key}\", not {}", told(value))),
            None => Err(format!("{name} needs \"{key}\"")),
        };
        let props = || match fields.get("props") {
            None => Ok(Props::new()),
            Some(value) => Props::of(value)
                .ok_or_else(|| format!("{name} needs an object as \"props\", not {}", value.type_name())),
        };
        match &**name {
            CREATE_NODE => Ok(Self::CreateNode { id: text("id")?, kind: text("kind")?, props: props()? }),
            UPDATE_NODE => Ok(Self::UpdateNode { id: text("id")?, props: props()? }),
            TOMBSTONE_NODE => Ok(Self::TombstoneNode { id: text("id")? }),
            MARK_STALE => Ok(Self::MarkStale { id: text("id")?, reason: text("reason")? }),
            CREATE_RELATION => {
                Ok(Self::CreateRelation { from: text("from")?, rel: text("rel")?, to: text("to")?, props: props()? })
            }
            DELETE_RELATION => Ok(Self::DeleteRelation { from: text("from")?, rel: text("rel")?, to: text("to")? }),
            ATTACH_ARTIFACT => {
                let artifact = fields.get("artifact").ok_or_else(|| format!("{name} needs \"artifact\""))?;
                Ok(Self::AttachArtifact { id: text("id")?, artifact: PropValue::of(artifact) })
            }
            other => Err(format!("`{}` is none; there are {}", echo(other), NAMES.join(", "))),
        }
    }

    /// Whether `json` has the key of an op, whether or not the op is valid.
    pub fn is_like_one(json: &Json<'_>) -> bool {
        matches!(&json.value, JsonValue::Object(members) if members.iter().any(|(name, _)| NAMES.contains(&&**name)))
    }
}

fn told(value: &Json<'_>) -> &'static str {
    if value.as_str().is_some() { "an empty one" } else { value.type_name() }
}

/// `{"NAME":{"key":"text",…`, both objects left open.
fn texts(name: &str, fields: &[(&str, &String)], out: &mut Vec<u8>) {
    out.push(b'{');
    write_text(name, out);
    out.extend_from_slice(b":{");
    for (at, (key, text)) in fields.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_text(key, out);
        out.push(b':');
        write_text(text, out);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::text::json;
    use proptest::prelude::*;

    /// Any op over few names, so that ops often affect the same nodes.
    pub(crate) fn any_op() -> impl Strategy<Value = StateOp> {
        let id = || "[a-c\"\\\\\u{2028}é]{1,2}";
        let props = || {
            prop::collection::vec(("[xy]", any_value()), 0..3).prop_map(|members| {
                let mut props = Props::new();
                members.into_iter().for_each(|(key, value)| props.set(key.into(), value));
                props
            })
        };
        prop_oneof![
            (id(), "[gt]", props()).prop_map(|(id, kind, props)| StateOp::CreateNode { id, kind, props }),
            (id(), props()).prop_map(|(id, props)| StateOp::UpdateNode { id, props }),
            id().prop_map(|id| StateOp::TombstoneNode { id }),
            (id(), "[rs]").prop_map(|(id, reason)| StateOp::MarkStale { id, reason }),
            (id(), "[pq]", id(), props()).prop_map(|(from, rel, to, props)| StateOp::CreateRelation {
                from,
                rel,
                to,
                props
            }),
            (id(), "[pq]", id()).prop_map(|(from, rel, to)| StateOp::DeleteRelation { from, rel, to }),
            (id(), any_value()).prop_map(|(id, artifact)| StateOp::AttachArtifact { id, artifact }),
        ]
    }

    fn any_value() -> impl Strategy<Value = PropValue> {
        let leaf = prop_oneof![
            Just(PropValue::Null),
            any::<bool>().prop_map(PropValue::Bool),
            any::<u32>().prop_map(PropValue::from),
            ".{0,4}".prop_map(PropValue::from),
        ];
        leaf.prop_recursive(3, 8, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(PropValue::List),
                prop::collection::vec(("[xy]", inner), 0..3).prop_map(|members| {
                    let mut props = Props::new();
                    members.into_iter().for_each(|(key, value)| props.set(key.into(), value));
                    PropValue::Object(props)
                }),
            ]
        })
    }

    fn read(text: &str) -> Result<StateOp, String> {
        StateOp::read(&json::parse(text).unwrap())
    }

    #[test]
    fn an_op_that_lacks_something_is_told() {
        for (text, said) in [
            ("[]", "is a list"),
            ("{}", "must have one key"),
            ("{\"CreateNode\":{},\"x\":1}", "must have one key"),
            ("{\"createNode\":{\"id\":\"a\"}}", "`createNode` is none"),
            ("{\"CreateNode\":{\"id\":\"a\"}}", "needs \"kind\""),
            ("{\"CreateNode\":{\"id\":1,\"kind\":\"k\"}}", "not a number"),
            ("{\"CreateNode\":{\"id\":\"\",\"kind\":\"k\"}}", "an empty one"),
            ("{\"UpdateNode\":{\"id\":\"a\",\"props\":[]}}", "an object as \"props\", not a list"),
            ("{\"MarkStale\":{\"id\":\"a\"}}", "needs \"reason\""),
            ("{\"AttachArtifact\":{\"id\":\"a\"}}", "needs \"artifact\""),
            ("{\"DeleteRelation\":{\"from\":\"a\",\"to\":\"b\"}}", "needs \"rel\""),
        ] {
            let wrong = read(text).unwrap_err();
            assert!(wrong.contains(said), "{text}: {wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_of_an_op_is_what_is_read(op in any_op()) {
            let mut line = Vec::new();
            op.write(&mut line);
            prop_assert_eq!(read(std::str::from_utf8(&line).unwrap()), Ok(op));
        }
    }
}
