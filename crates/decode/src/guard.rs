//! Calls into libraries that panic on bytes that they do not expect.
//!
//! *Input.* A call. *Output.* Its value, or nothing if it panicked. *Algorithm.* The first call
//! installs a panic hook that is silent on a thread that is within such a call, and hands every
//! other panic to the hook before it. *Memory.* None.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static IS_WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder; `None` if it panicked. Nothing that it touched may be used after that.
pub fn caught<T>(decode: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_WITHIN.get() {
                before(panic);
            }
        }));
    });
    let outer = IS_WITHIN.replace(true);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    IS_WITHIN.set(outer);
    decoded.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_panic_within_is_silent_and_any_other_is_told() {
        static TOLD: AtomicUsize = AtomicUsize::new(0);
        // Installed before the first call, as that of the program is.
        set_hook(Box::new(|_| {
            TOLD.fetch_add(1, Ordering::Relaxed);
        }));
        assert_eq!(caught(|| 3), Some(3));
        assert_eq!(
            caught(|| caught(|| panic!("inner")).or(Some(4))),
            Some(Some(4))
        );
        assert_eq!(caught(|| -> u8 { panic!("outer") }), None);
        assert_eq!(TOLD.load(Ordering::Relaxed), 0);
        catch_unwind(|| panic!("apart")).expect_err("it panicked");
        assert_eq!(TOLD.load(Ordering::Relaxed), 1);
    }
}
