//! JSON formatted for people: one line for every member and element. Only white space changes; numbers, repeated keys and
//! their order stay.

/// Deeper nesting gets no further indentation.
const DEEPEST: usize = 40;

/// JSON `text`, formatted. In a text that is no JSON only white space changes.
pub(crate) fn pretty(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = 0_usize;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' => string(&mut out, &mut rest),
            '{' | '[' => {
                out.push(c);
                while rest.next_if(|next| next.is_ascii_whitespace()).is_some() {}
                if let Some(end) = rest.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
    }
    out
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth.min(DEEPEST)));
}

/// Copies a string up to its end, unchanged.
fn string(out: &mut String, rest: &mut impl Iterator<Item = char>) {
    out.push('"');
    let mut is_escaped = false;
    for c in rest {
        out.push(c);
        match c {
            '"' if !is_escaped => return,
            c => is_escaped = c == '\\' && !is_escaped,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_member_has_its_line_and_nothing_else_changes() {
        let text = r#" {"a" :[1.50,{"a":"x, \"y\\"}],"a": {} ,"b":[ ]}"#;
        let laid_out =
            "{\n  \"a\": [\n    1.50,\n    {\n      \"a\": \"x, \\\"y\\\\\"\n    }\n  ],\n  \"a\": {},\n  \"b\": []\n}";
        assert_eq!(pretty(text), laid_out);
        assert_eq!(pretty(&pretty(text)), laid_out);
    }

    #[test]
    fn depth_costs_no_more_than_it_must() {
        let deep = "[".repeat(10_000) + &"]".repeat(10_000);
        assert!(pretty(&deep).len() < 10_000 * 200);
    }

    proptest! {
        #[test]
        fn what_is_no_json_comes_out_too(text in ".*") {
            let solid = |text: &str| text.chars().filter(|c| !c.is_ascii_whitespace()).collect::<String>();
            prop_assert_eq!(solid(&pretty(&text)), solid(&text));
        }
    }
}
