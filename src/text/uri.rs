//! Paths in addresses.

/// A path as a relative reference of RFC 3986: everything but unreserved characters and `/` is percent-encoded, for example
/// `a b` as `a%20b`.
pub(crate) fn path(bytes: &[u8]) -> String {
    let mut uri = String::new();
    for byte in bytes {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(*byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
