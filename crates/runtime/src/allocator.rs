//! Gives memory back to the system.
//!
//! glibc keeps what is freed for later allocations, in one arena for some threads each, where other
//! threads cannot use it. So what one phase freed would add to the peak of the next.

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
    use super::give_back;

    /// Bytes of memory that the process has.
    fn resident() -> u64 {
        let text = std::fs::read_to_string("/proc/self/status").expect("a status");
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.expect("a size").trim().trim_end_matches(" kB");
        kib.parse::<u64>().expect("a number") * 1024
    }

    #[test]
    fn what_is_free_between_what_is_used_is_given_back() {
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
}
