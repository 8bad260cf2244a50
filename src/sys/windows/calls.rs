//! The calls of Windows that the standard library lacks, each as a safe function. The only `unsafe` of this system, so that
//! it can be audited alone. Every handle and every buffer that is handed over outlives its call.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::process::Child;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::time::Duration;
use windows_sys::Win32::Foundation::{ERROR_BROKEN_PIPE, FILETIME, HANDLE, LocalFree, STATUS_CONTROL_C_EXIT};
use windows_sys::Win32::Security::Authorization::{GetSecurityInfo, SE_FILE_OBJECT};
use windows_sys::Win32::Security::Cryptography::{BCRYPT_USE_SYSTEM_PREFERRED_RNG, BCryptGenRandom};
use windows_sys::Win32::Security::{
    EqualSid, GetTokenInformation, IsWellKnownSid, OWNER_SECURITY_INFORMATION, PSID, TOKEN_QUERY, TOKEN_USER,
    TokenUser, WinBuiltinAdministratorsSid,
};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_TYPE_PIPE, GetFileInformationByHandle, GetFileType, MoveFileExW,
};
use windows_sys::Win32::System::Console::SetConsoleCtrlHandler;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_JOB_MEMORY, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::Pipes::PeekNamedPipe;
use windows_sys::Win32::System::Threading::{
    ExitProcess, GetCurrentProcess, GetCurrentThread, GetThreadTimes, OpenProcessToken,
};

fn done(outcome: i32) -> io::Result<()> {
    if outcome == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The volume and the number of an open file.
pub(super) fn identity(file: &File) -> io::Result<(u32, u64)> {
    // SAFETY: the structure is plain numbers, and the call fills it.
    let about = unsafe {
        let mut about: BY_HANDLE_FILE_INFORMATION = zeroed();
        done(GetFileInformationByHandle(file.as_raw_handle(), &raw mut about))?;
        about
    };
    let number = u64::from(about.nFileIndexHigh) << 32 | u64::from(about.nFileIndexLow);
    Ok((about.dwVolumeSerialNumber, number))
}

/// Whether this user or the group of administrators owns an open file: git takes the same two owners for the user's own.
pub(super) fn is_mine(file: &File) -> io::Result<bool> {
    let (mut owner, mut descriptor): (PSID, _) = (null_mut(), null_mut());
    // SAFETY: `owner` points into the descriptor, which is freed after the last use of it.
    unsafe {
        let handle = file.as_raw_handle();
        let code = GetSecurityInfo(
            handle,
            SE_FILE_OBJECT,
            OWNER_SECURITY_INFORMATION,
            &raw mut owner,
            null_mut(),
            null_mut(),
            null_mut(),
            &raw mut descriptor,
        );
        if code != 0 {
            return Err(io::Error::from_raw_os_error(code.cast_signed()));
        }
        let by_group = IsWellKnownSid(owner, WinBuiltinAdministratorsSid) != 0;
        let is_mine = if by_group { Ok(true) } else { user(|user| EqualSid(owner, user) != 0) };
        LocalFree(descriptor);
        is_mine
    }
}

/// Hands the id of the user of this process to `see`.
fn user(see: impl FnOnce(PSID) -> bool) -> io::Result<bool> {
    // an id has at most 68 bytes; u64 for the alignment of the structure
    let mut buffer = [0_u64; 32];
    // SAFETY: the token is closed when it is dropped; the call fills the buffer, whose size it is given, and the id that
    // the structure points to lies in the same buffer.
    unsafe {
        let mut token: HANDLE = null_mut();
        done(OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token))?;
        let token = OwnedHandle::from_raw_handle(token);
        let (size, mut filled) = (size_of::<[u64; 32]>() as u32, 0);
        done(GetTokenInformation(token.as_raw_handle(), TokenUser, buffer.as_mut_ptr().cast(), size, &raw mut filled))?;
        Ok(see((*buffer.as_ptr().cast::<TOKEN_USER>()).User.Sid))
    }
}

/// Renames a file; fails if the new name exists.
pub(super) fn rename_free(from: &Path, to: &Path) -> io::Result<()> {
    let wide = |path: &Path| -> Vec<u16> { path.as_os_str().encode_wide().chain([0]).collect() };
    let (from, to) = (wide(from), wide(to));
    // SAFETY: both names end in a zero. Without a flag the call replaces nothing.
    done(unsafe { MoveFileExW(from.as_ptr(), to.as_ptr(), 0) })
}

/// Fills `bytes` with random bytes of the system.
pub(super) fn random(bytes: &mut [u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    // SAFETY: the length is the one of the buffer.
    let status = unsafe { BCryptGenRandom(null_mut(), bytes.as_mut_ptr(), length, BCRYPT_USE_SYSTEM_PREFERRED_RNG) };
    if status == 0 { Ok(()) } else { Err(io::Error::other(format!("no random bytes: status {status:#x}"))) }
}

/// The CPU time of this thread.
pub(super) fn worked() -> Duration {
    let ticks = |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    // SAFETY: four plain structures, which the call fills.
    unsafe {
        let [mut made, mut ended, mut kernel, mut user]: [FILETIME; 4] = zeroed();
        let thread = GetCurrentThread();
        GetThreadTimes(thread, &raw mut made, &raw mut ended, &raw mut kernel, &raw mut user);
        // a tick has 100 ns
        Duration::from_nanos((ticks(kernel) + ticks(user)).saturating_mul(100))
    }
}

/// Whether standard input has bytes or ends; a file always has.
pub(super) fn has_input() -> io::Result<bool> {
    let handle = io::stdin().as_raw_handle();
    let mut count = 0;
    // SAFETY: only the number of waiting bytes is asked for; the other results are not wanted.
    let outcome = unsafe {
        if GetFileType(handle) != FILE_TYPE_PIPE {
            return Ok(true);
        }
        done(PeekNamedPipe(handle, null_mut(), 0, null_mut(), &raw mut count, null_mut()))
    };
    match outcome {
        Ok(()) => Ok(count > 0),
        Err(error) if error.raw_os_error() == Some(ERROR_BROKEN_PIPE.cast_signed()) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Called when the console is closed, and for Ctrl-C and Ctrl-Break.
static END: OnceLock<fn(&dyn Fn())> = OnceLock::new();

unsafe extern "system" fn on_event(_event: u32) -> i32 {
    if let Some(end) = END.get() {
        // SAFETY: the call ends this process and has no other effect.
        end(&|| unsafe { ExitProcess(STATUS_CONTROL_C_EXIT.cast_unsigned()) });
    }
    0
}

/// Has `end` called, with the function that ends the process, before an event of the console ends this process.
pub(super) fn at_end(end: fn(&dyn Fn())) -> io::Result<()> {
    END.get_or_init(|| end);
    // SAFETY: the system calls the function on a thread of its own, so it may lock and call anything.
    done(unsafe { SetConsoleCtrlHandler(Some(on_event), 1) })
}

/// Processes that end together: all end when the job is dropped, also by the end of this process.
#[derive(Debug)]
pub(super) struct Job(OwnedHandle);

impl Job {
    /// A job without a process. `memory` limits what its processes have together.
    pub(super) fn new(memory: Option<u64>) -> io::Result<Self> {
        // SAFETY: the handle of the job is owned from here on; the structure is plain numbers, and its size is given.
        unsafe {
            let job = CreateJobObjectW(null(), null());
            if job.is_null() {
                return Err(io::Error::last_os_error());
            }
            let job = OwnedHandle::from_raw_handle(job);
            let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = zeroed();
            limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
            if let Some(most) = memory.and_then(|bytes| usize::try_from(bytes).ok()) {
                limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_JOB_MEMORY;
                limits.JobMemoryLimit = most;
            }
            let size = size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32;
            let class = JobObjectExtendedLimitInformation;
            done(SetInformationJobObject(job.as_raw_handle(), class, (&raw const limits).cast(), size))?;
            Ok(Self(job))
        }
    }

    /// Puts a running child into the job, and with it its later descendants. An error if the child has ended.
    pub(super) fn take(&self, child: &Child) -> io::Result<()> {
        // SAFETY: both handles are open.
        done(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), child.as_raw_handle()) })
    }

    /// Ends every process of the job.
    pub(super) fn end(&self) {
        // SAFETY: the job is open. An error means that its processes have ended.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) };
    }
}
