//! The format and the size of a picture, from its header. Nothing is decoded; bytes without a valid header are no picture.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PictureHeader {
    pub(crate) mime: &'static str,
    /// Pixels from left to right.
    pub(crate) width: u32,
    /// Pixels from top to bottom.
    pub(crate) height: u32,
}

impl PictureHeader {
    /// The header of a PNG, JPEG, GIF or WebP file, by its first bytes; `None` for anything else, and without a size.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        let (mime, (width, height)) = match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => ("image/png", png(bytes)?),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => ("image/gif", (le16(bytes, 6)?, le16(bytes, 8)?)),
            [0xff, 0xd8, 0xff, ..] => ("image/jpeg", jpeg(bytes)?),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => ("image/webp", webp(bytes)?),
            _ => return None,
        };
        (width > 0 && height > 0).then_some(Self { mime, width, height })
    }

    pub(crate) fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// The media type of a video that browsers play, by its first bytes.
pub(crate) fn film(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x1a, 0x45, 0xdf, 0xa3, ..] => Some("video/webm"),
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => Some("video/mp4"),
        _ => None,
    }
}

fn be16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)))
}

fn le16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)))
}

fn le24(bytes: &[u8], at: usize) -> Option<u32> {
    Some(le16(bytes, at)? | u32::from(*bytes.get(at + 2)?) << 16)
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The first chunk must be the header.
fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    (bytes.get(12..16)? == b"IHDR").then_some(())?;
    Some((be32(bytes, 16)?, be32(bytes, 20)?))
}

/// The first frame header. Earlier segments are skipped by their lengths.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let [0xff, marker] = *bytes.get(at..at + 2)? else { return None };
        match marker {
            // padding, and markers without a length
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            // C4, C8 and CC are no frames
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((be16(bytes, at + 7)?, be16(bytes, at + 5)?));
            }
            // the image data begins without a frame header
            0xd9 | 0xda => return None,
            _ => at += 2 + be16(bytes, at + 2)?.max(2) as usize,
        }
    }
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((le24(bytes, 24)? + 1, le24(bytes, 27)? + 1)),
        b"VP8 " if bytes.get(23..26)? == [0x9d, 0x01, 0x2a] => {
            Some((le16(bytes, 26)? & 0x3fff, le16(bytes, 28)? & 0x3fff))
        }
        b"VP8L" if *bytes.get(20)? == 0x2f => {
            let bits = le16(bytes, 21)? | le16(bytes, 23)? << 16;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn size(bytes: &[u8]) -> Option<(&'static str, u32, u32)> {
        PictureHeader::of(bytes).map(|one| (one.mime, one.width, one.height))
    }

    #[test]
    fn headers_say_how_large_a_picture_is() {
        let png = |w: u32, h: u32| {
            [&b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"[..], &w.to_be_bytes(), &h.to_be_bytes(), &[8, 2, 0, 0, 0]].concat()
        };
        assert_eq!(size(&png(640, 480)), Some(("image/png", 640, 480)));
        assert_eq!(size(b"GIF89a\x10\x00\x02\x01\0"), Some(("image/gif", 16, 258)));
        let jpeg = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xdb\x00\x03x\xff\xc2\x00\x11\x08\x01\x00\x02\x00\x03";
        assert_eq!(size(jpeg), Some(("image/jpeg", 512, 256)));
        let lossy = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x40\x01\xf0\x00";
        assert_eq!(size(lossy), Some(("image/webp", 320, 240)));
        let lossless = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x3f\xc1\x3b\x00\0";
        assert_eq!(size(lossless), Some(("image/webp", 320, 240)));
        let extended = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x3f\x01\x00\xef\x00\x00";
        assert_eq!(size(extended), Some(("image/webp", 320, 240)));
        assert_eq!(PictureHeader::of(&png(60_000, 60_000)).unwrap().pixels(), 3_600_000_000);
        assert_eq!(film(b"\x1a\x45\xdf\xa3"), Some("video/webm"));
        assert_eq!(film(b"\0\0\0\x20ftypisom"), Some("video/mp4"));
    }

    #[test]
    fn what_says_no_size_is_no_picture() {
        for bytes in [
            &b""[..],
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            b"\x89PNG\r\n\x1a\n",
            b"\x89PNG\r\n\x1a\n\0\0\0\x0dJUNK\0\0\0\x01\0\0\0\x01",
            b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\0\0\0\0\x01",
            b"\xff\xd8\xff\xd9",
            b"\xff\xd8\xff\xe0\xff\xff",
            b"GIF89a",
            b"RIFF\0\0\0\0WEBPVP8 ",
        ] {
            assert_eq!(size(bytes), None, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_stop_it(head in 0usize..4, rest in proptest::collection::vec(any::<u8>(), 0..80)) {
            let heads: [&[u8]; 4] = [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFF\0\0\0\0WEBP"];
            let _ = PictureHeader::of(&[heads[head], &rest].concat());
        }
    }
}
