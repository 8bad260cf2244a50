//! OpenSSH's public keys and signatures as bytes (RFC 4253, section 6.6; OpenSSH's PROTOCOL.sshsig and PROTOCOL.certkeys).

use crate::text::base64::{base64, decoded};
use sha2::{Digest, Sha256};

/// The types of keys that may sign, each with the number of fields after the type.
const TYPES: [(&str, usize); 7] = [
    ("ssh-ed25519", 1),
    ("ssh-rsa", 2),
    ("ecdsa-sha2-nistp256", 2),
    ("ecdsa-sha2-nistp384", 2),
    ("ecdsa-sha2-nistp521", 2),
    ("sk-ssh-ed25519@openssh.com", 2),
    ("sk-ecdsa-sha2-nistp256@openssh.com", 3),
];
/// The first bytes of a signature.
const MAGIC: &[u8] = b"SSHSIG";
/// The frame of an armoured signature.
const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";
/// Most principals of a certificate: OpenSSH reads no certificate with more.
const MAX_PRINCIPALS: usize = 256;
/// Characters of a line inside the frame.
const WIDTH: usize = 70;

/// A public key without its certificate, as bytes in OpenSSH's form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey(Vec<u8>);

impl PublicKey {
    /// The key in a file of keys: its type and its base64, for example `ssh-ed25519 AAAAC3Nz…`.
    pub(super) fn parse(kind: &str, text: &str) -> Option<Self> {
        let blob = decoded(text.as_bytes())?;
        let (named, fields) = WireFields(&blob).string()?;
        let (_, count) = TYPES.iter().find(|(known, _)| *known == kind && known.as_bytes() == named)?;
        let rest = (0..*count).try_fold(fields, |fields, _| Some(fields.string()?.1))?;
        rest.0.is_empty().then_some(Self(blob))
    }

    /// The key in the blob of a signature, and what its authority says if the blob is a certificate.
    fn of_blob(blob: &[u8]) -> Option<(Self, Option<Certified>)> {
        let (kind, rest) = WireFields(blob).string()?;
        let kind = std::str::from_utf8(kind).ok()?;
        let Some(plain) = plain_type(kind) else {
            return TYPES.iter().any(|(known, _)| *known == kind).then(|| (Self(blob.to_vec()), None));
        };
        let (_, count) = TYPES.iter().find(|(known, _)| *known == plain)?;
        let (_nonce, mut rest) = rest.string()?;
        let mut key = Vec::new();
        put_string(&mut key, plain.as_bytes());
        for _ in 0..*count {
            let (field, after) = rest.string()?;
            put_string(&mut key, field);
            rest = after;
        }
        Some((Self(key), Some(certified(rest)?)))
    }

    /// The key in the text of a `.pub` file, for example `ssh-ed25519 AAAAC3Nz… ann`.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        Self::parse(words.next()?, words.next()?)
    }

    /// The key with these bytes, which [`Self::bytes`] gave before.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Its fingerprint as `ssh-keygen -l` prints it, for example `SHA256:aUBjAbrKRVqPrlkhxWtvVyeIGoZcClY1xrWX`.
    pub(crate) fn fingerprint(&self) -> String {
        format!("SHA256:{}", base64(&Sha256::digest(&self.0)).trim_end_matches('='))
    }

    /// Its line without a comment.
    pub(super) fn text(&self) -> String {
        let kind = WireFields(&self.0).string().map(|(kind, _)| String::from_utf8_lossy(kind)).unwrap_or_default();
        format!("{kind} {}", base64(&self.0))
    }
}

/// The fields of a certificate after its own key.
fn certified(fields: WireFields<'_>) -> Option<Certified> {
    // a serial number of 8 bytes and a type of 4
    let (_id, rest) = WireFields(fields.0.get(12..)?).string()?;
    let (principals, rest) = rest.string()?;
    // the times from and until which it is valid
    let mut rest = WireFields(rest.0.get(16..)?);
    for _critical_options_extensions_reserved in 0..3 {
        rest = rest.string()?.1;
    }
    let authority = PublicKey(rest.string()?.0.to_vec());
    Some(Certified { authority, principals: texts(principals) })
}

/// The UTF-8 strings in a list of principals; none if the list is damaged or too long.
fn texts(list: &[u8]) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), WireFields(list));
    while let Some((text, after)) = rest.string() {
        found.extend(std::str::from_utf8(text).ok().map(str::to_owned));
        rest = after;
    }
    if rest.0.is_empty() && found.len() <= MAX_PRINCIPALS { found } else { Vec::new() }
}

/// The type of the key in a certificate of the type `kind`.
fn plain_type(kind: &str) -> Option<String> {
    let plain = kind.strip_suffix("-cert-v01@openssh.com")?;
    let is_hardware = plain.starts_with("sk-");
    Some(if is_hardware { format!("{plain}@openssh.com") } else { plain.to_owned() })
}

/// The parts of a signature that this program reads itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshSignature {
    /// The key that made it: of a certificate its own key, not the authority's.
    pub(crate) key: PublicKey,
    /// What the authority says, if the key came in a certificate.
    pub(crate) certified: Option<Certified>,
    pub(crate) namespace: String,
}

/// The parts of a certificate that this program reads itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Certified {
    /// The key that signed the certificate.
    pub(crate) authority: PublicKey,
    /// The names that the certificate is for.
    pub(crate) principals: Vec<String>,
}

impl SshSignature {
    /// The signature in this base64, the armour without its frame and line breaks; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        Self::of_blob(&decoded(text.as_bytes())?)
    }

    /// The signature in these bytes of OpenSSH's format; `None` for anything else.
    pub fn of_blob(blob: &[u8]) -> Option<Self> {
        let rest = blob.strip_prefix(MAGIC)?.strip_prefix(&1_u32.to_be_bytes())?;
        let (key, rest) = WireFields(rest).string()?;
        let (namespace, rest) = rest.string()?;
        let (_reserved, rest) = rest.string()?;
        let (_hash, rest) = rest.string()?;
        let (_signature, rest) = rest.string()?;
        let namespace = std::str::from_utf8(namespace).ok()?.to_owned();
        let (key, certified) = PublicKey::of_blob(key)?;
        rest.0.is_empty().then_some(Self { key, certified, namespace })
    }

    /// The base64 of an armoured signature, without its frame and line breaks.
    pub fn unarmoured(armour: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(armour).ok()?.trim();
        let inner = text.strip_prefix(BEGIN)?.strip_suffix(END)?;
        Some(inner.split_ascii_whitespace().collect())
    }

    /// The armour of this base64, as `ssh-keygen` reads it.
    pub fn armoured(text: &str) -> String {
        let lines: String =
            text.as_bytes().chunks(WIDTH).map(|line| format!("{}\n", String::from_utf8_lossy(line))).collect();
        format!("{BEGIN}\n{lines}{END}\n")
    }
}

/// Length-prefixed strings, one after the other.
#[derive(Clone, Copy)]
struct WireFields<'b>(&'b [u8]);

impl<'b> WireFields<'b> {
    fn string(self) -> Option<(&'b [u8], Self)> {
        let (length, rest) = self.0.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
        (length <= rest.len()).then(|| (&rest[..length], Self(&rest[length..])))
    }
}

fn put_string(out: &mut Vec<u8>, text: &[u8]) {
    // a field of a key is at most as long as the blob that it was read from, which has a 32-bit length
    out.extend_from_slice(&(text.len() as u32).to_be_bytes());
    out.extend_from_slice(text);
}
