//! What a system says about a file.

/// The kind of a file.
#[cfg_attr(windows, allow(dead_code))] // not every system has every kind
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Regular,
    Directory,
    /// A symbolic link; on Windows also a junction.
    Link,
    Fifo,
    Socket,
    Device,
    Other,
}

/// A file as the system describes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    pub(crate) kind: FileKind,
    /// In bytes.
    pub(crate) size: u64,
    /// The last write, in seconds and nanoseconds since 1970.
    pub(crate) modified: (i64, i64),
    /// The rights, without the kind.
    pub(crate) mode: u32,
    pub(crate) owner: u32,
    pub(crate) group: u32,
    pub(crate) device: u64,
}

/// Who gets Ctrl-C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Terminal {
    /// The child too; it may read from the terminal.
    Shared,
    /// Only this process.
    Ours,
}

impl Terminal {
    pub(crate) fn shared_if(shared: bool) -> Self {
        if shared { Self::Shared } else { Self::Ours }
    }
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    /// Reading and writing.
    Write,
    /// Reading, and writing at the end.
    Append,
}
