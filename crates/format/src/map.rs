//! A finished file as memory; the only `unsafe` of this crate.

#![expect(unsafe_code, reason = "a mapping is only as immutable as its file")]

use memmap2::{Advice, Mmap};
use signal_hook::consts::SIGBUS;
use signal_hook::low_level;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Once;

const SHORTENED: &[u8] =
    b"pipeline: failed to read the query index: a file of it was made shorter \
    while it was read, or its disk failed; `pipeline run --from index --force` rebuilds it\n";
/// The exit code of damage.
const DAMAGED: i32 = 5;

/// Maps a whole file, read-only, to be read at random: a page that is missing is read alone, and
/// not the megabytes around it that the system would read of a file on some disks.
pub(crate) fn map(file: &File) -> io::Result<Mmap> {
    answer_sigbus();
    // SAFETY: the file belongs to a publication. This program never writes to, nor shortens, a file
    // that has its final name: it makes a new one aside, renames it, and unlinks the old one, which
    // leaves mappings of it whole. So the bytes behind the mapping do not change while it lives.
    // (Who shortens a file of a publication by other means takes pages away from a process that
    // reads it. The kernel sends SIGBUS, and the process ends; it reads nothing wrong.)
    let map = unsafe { Mmap::map(file) }?;
    // An advice may be refused; then more is read than needed.
    let _ = map.advise(Advice::Random);
    Ok(map)
}

/// Tells the system that these bytes are needed now, so that it reads them at once.
pub(crate) fn need(map: &Mmap, bytes: Range<usize>) {
    let _ = map.advise_range(Advice::WillNeed, bytes.start, bytes.len());
}

/// Lets the process end with a message and the code of damage when a page of a mapping is gone.
fn answer_sigbus() {
    static HANDLER: Once = Once::new();
    HANDLER.call_once(|| {
        // SAFETY: the handler writes a constant and ends the process at once. Both are allowed
        // within a signal handler.
        let installed = unsafe {
            low_level::register(SIGBUS, || {
                let _ = rustix::io::write(rustix::stdio::stderr(), SHORTENED);
                low_level::exit(DAMAGED);
            })
        };
        // Without a handler the kernel ends the process, as said above.
        drop(installed);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Set for the child, which reads a page that is gone.
    const CHILD: &str = "PIPELINE_TEST_SHORTENED";

    #[test]
    fn a_missing_page_is_read_alone() {
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, &[1; 1 << 16]).unwrap();
        let mapped = map(&file).unwrap();
        need(&mapped, 100..40_000);
        let place = format!("{:08x}-", mapped.as_ptr() as usize);
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let (_, of_file) = maps.split_once(&place).unwrap();
        let flags = of_file.lines().find(|line| line.starts_with("VmFlags:"));
        assert!(flags.unwrap().contains(" rr"), "{flags:?}");
    }

    #[test]
    fn a_file_that_is_shortened_under_a_mapping_ends_the_process_with_a_message() {
        if std::env::var_os(CHILD).is_some() {
            let mut file = tempfile::tempfile().unwrap();
            io::Write::write_all(&mut file, &[1; 1 << 16]).unwrap();
            let mapped = map(&file).unwrap();
            file.set_len(0).unwrap();
            assert_eq!(mapped[5000], 1, "unreachable");
        }
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "map::tests::a_file_that_is_shortened_under_a_mapping_ends_the_process_with_a_message"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        assert_eq!(child.status.code(), Some(DAMAGED), "{child:?}");
        assert!(child.stderr.ends_with(SHORTENED), "{child:?}");
    }
}
