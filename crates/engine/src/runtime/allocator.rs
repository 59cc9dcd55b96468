//! Takes memory from the system and gives it back.
//!
//! *What is refused.* Where the system refuses memory, Rust prints a message that names no remedy
//! and aborts; it takes memory to print the stack. [`Allocator`] takes none: it writes one line and
//! ends the process with exit code 4. The files on disk are as after a kill.
//!
//! *What is given back.* glibc keeps what is freed for later allocations, in one arena for some
//! threads each, where other threads cannot use it. So what one phase freed would add to the peak
//! of the next. And it keeps the larger blocks, the larger those were that have been freed. A block
//! that it kept is zeroed before it is used again, so all of it is resident: such were the open
//! blocks of a sort, however few records they had. With a fixed bound of 512 KiB, below the size
//! of those, phase `index` of 600,000 pages takes 121 MiB instead of 207, and phase `pairs` of a
//! manual 43 instead of 128, with a budget of one GiB and in the same CPU time. With 128 KiB, phase
//! `sketch` takes twice the CPU time.

use crate::runtime::log::{LogForm, log_form};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

/// The allocator of the system, for `#[global_allocator]`. It never returns a null pointer.
pub struct Allocator;

#[expect(unsafe_code, reason = "the interface of an allocator")]
// SAFETY: every call is handed to `System` as it is; a pointer that it gives is returned.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of the same function.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of the same function.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of the same function.
        given(unsafe { System.realloc(at, layout, size) }, size)
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of the same function.
        unsafe { System.dealloc(at, layout) }
    }
}

/// The pointer; a null pointer ends the process.
#[inline]
fn given(at: *mut u8, bytes: usize) -> *mut u8 {
    if at.is_null() {
        refused(bytes);
    }
    at
}

/// Advice for when the system refuses memory.
pub const MORE_MEMORY: &str = "raise the limit of the process (ulimit -d, ulimit -v, its cgroup), \
                               or lower memory or threads in [work]";

/// Ends the process with exit code 4 after a message, without an allocation.
#[cold]
fn refused(bytes: usize) -> ! {
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    // Several threads may be refused at once. One message is enough.
    if !IS_ENDING.swap(true, Ordering::Relaxed) {
        let mut digits = [0; 20];
        let text = [
            "failed to allocate ",
            decimal(bytes, &mut digits),
            " bytes: the system refused them; ",
            MORE_MEMORY,
        ];
        let (before, after) = match log_form() {
            LogForm::Json => (
                "{\"level\":\"error\",\"message\":\"",
                "\",\"exit_code\":4}\n",
            ),
            LogForm::Plain | LogForm::Timed => ("pipeline: ", "\n"),
        };
        let mut line = [0; 320];
        let mut end = 0;
        for byte in [before]
            .into_iter()
            .chain(text)
            .chain([after])
            .flat_map(str::bytes)
        {
            if let Some(place) = line.get_mut(end) {
                *place = byte;
                end += 1;
            }
        }
        // Whether standard error takes the message changes nothing.
        let _ = rustix::io::write(rustix::stdio::stderr(), &line[..end]);
    }
    end_process(4)
}

/// The number in decimal digits.
fn decimal(mut number: usize, digits: &mut [u8; 20]) -> &str {
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return str::from_utf8(&digits[first..]).unwrap_or_default();
        }
    }
}

/// Ends the process at once. `std::process::exit` would run handlers that allocate.
#[expect(unsafe_code, reason = "a function of the C library")]
fn end_process(code: core::ffi::c_int) -> ! {
    unsafe extern "C" {
        fn _exit(code: core::ffi::c_int) -> !;
    }
    // SAFETY: it takes a number and does not return.
    unsafe { _exit(code) }
}

/// From now on, a block of 512 KiB or more goes back to the system as soon as it is freed, where
/// the allocator is glibc's. For the program itself: a library leaves the allocator of a process
/// alone.
pub fn return_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    set_bounds();
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "a function of the C library")]
fn set_bounds() {
    use core::ffi::c_int;
    // malloc.h
    const M_TRIM_THRESHOLD: c_int = -1;
    const M_MMAP_THRESHOLD: c_int = -3;
    unsafe extern "C" {
        fn mallopt(parameter: c_int, value: c_int) -> c_int;
    }
    for (parameter, bytes) in [(M_TRIM_THRESHOLD, 4 << 20), (M_MMAP_THRESHOLD, 512 << 10)] {
        // SAFETY: it takes two numbers; no other thread runs yet, as malloc.h wants it.
        unsafe { mallopt(parameter, bytes) };
    }
}

/// Returns free memory of all arenas, where the allocator is glibc's.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    trim();
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "a function of the C library")]
fn trim() {
    unsafe extern "C" {
        fn malloc_trim(pad: usize) -> core::ffi::c_int;
    }
    // SAFETY: glibc locks its arenas itself, and no memory in use is touched.
    unsafe {
        malloc_trim(0);
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::{decimal, give_back, return_large_blocks};
    use crate::runtime::alone_with_memory;
    use std::hint::black_box;

    /// Bytes of memory that the process has.
    fn resident() -> u64 {
        let text = std::fs::read_to_string("/proc/self/status").expect("a status");
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.expect("a size").trim().trim_end_matches(" kB");
        kib.parse::<u64>().expect("a number") * 1024
    }

    #[test]
    fn numbers_are_written_without_an_allocation() {
        for number in [0, 7, 10, 196_608, usize::MAX] {
            assert_eq!(decimal(number, &mut [0; 20]), number.to_string());
        }
    }

    #[test]
    fn what_is_free_between_what_is_used_is_given_back() {
        let _alone = alone_with_memory();
        const BLOCK: usize = 64 << 10;
        let mut blocks: Vec<Vec<u8>> = (0..1024).map(|n| vec![n as u8 | 1; BLOCK]).collect();
        let full = resident();
        // The last block keeps the allocator from giving back all before it on its own.
        blocks.drain(..1023);
        give_back();
        let left = resident();
        assert!(
            left + (32 << 20) < full,
            "{full} bytes before, {left} after"
        );
        assert_eq!(blocks.len(), 1);
    }

    /// Small blocks between the large ones keep those from the end of the heap.
    #[test]
    fn large_blocks_go_back_to_the_system() {
        let _alone = alone_with_memory();
        return_large_blocks();
        let block = || black_box(vec![1_u8; 8 << 20]);
        // glibc would from now on keep blocks of this size.
        drop(block());
        let before = resident();
        let blocks = (0..16).map(|_| (block(), black_box(vec![1_u8; 100])));
        let (large, _small): (Vec<_>, Vec<_>) = blocks.unzip();
        let held = resident();
        drop(large);
        let left = resident();
        assert!(held >= before + (100 << 20), "{before} bytes, then {held}");
        assert!(left <= before + (28 << 20), "{before} bytes, then {left}");
    }
}
