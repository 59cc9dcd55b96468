//! All targets of crate `fuzzing` for libFuzzer; the variable `TARGET` names the one to run.
#![no_main]

use std::sync::LazyLock;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
        let wanted = std::env::var("TARGET").expect("the variable TARGET names a target");
        let mut targets = fuzzing::TARGETS.into_iter();
        let target = targets.find(|(name, _)| *name == wanted);
        target.expect("a target of crate fuzzing").1
    });
    TARGET(bytes);
});
