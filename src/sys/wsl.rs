//! Windows and WSL on one machine: programs of both can use one repository, and neither sees the locks of the other. Pure.

/// Whether this path of Windows, with slashes, leads into a file system of WSL.
#[cfg(any(windows, test))]
pub(super) fn is_in_wsl(path: &[u8]) -> bool {
    let path = path.to_ascii_lowercase();
    path.starts_with(b"//wsl$/") || path.starts_with(b"//wsl.localhost/")
}

/// The type of file system by which WSL shows the disks of Windows: 9p.
#[cfg(any(unix, test))]
const DISK_OF_WINDOWS: i128 = 0x0102_1997;

/// Whether a directory on a file system of this type is on a disk of Windows. `kernel` tells the release of the kernel.
#[cfg(any(unix, test))]
pub(super) fn is_on_windows(kind: Option<i128>, kernel: impl FnOnce() -> Option<String>) -> bool {
    kind == Some(DISK_OF_WINDOWS) && kernel().is_some_and(|release| release.to_ascii_lowercase().contains("microsoft"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_windows_into_wsl_is_known() {
        for path in ["//wsl$/Debian/home/r", "//wsl.localhost/Ubuntu/r/.git", "//WSL$/x"] {
            assert!(is_in_wsl(path.as_bytes()), "{path}");
        }
        for path in ["C:/wsl$/r", "//server/wsl$/r", "//wsl$", "/wsl$/r"] {
            assert!(!is_in_wsl(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn a_disk_of_windows_is_one_only_in_wsl() {
        let kernel = |release: &str| Some(release.to_owned());
        assert!(is_on_windows(Some(DISK_OF_WINDOWS), || kernel("5.15.90.1-microsoft-standard-WSL2")));
        assert!(
            !is_on_windows(Some(DISK_OF_WINDOWS), || kernel("6.18.0-amd64")),
            "a virtual machine with a shared folder"
        );
        assert!(!is_on_windows(Some(0xef53), || panic!("the kernel is asked only about such a disk")));
        assert!(!is_on_windows(None, || None));
    }
}
