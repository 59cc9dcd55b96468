//! Rolling side by side against rolling with tables.

use super::*;
use crate::cpu::Cpu;
use crate::fingerprint::tests::params;
use proptest::prelude::*;

/// Rolls over all hashes in pieces of these lengths; the polynomials of all windows, and at the
/// end.
fn rolled(
    cpu: Cpu,
    size: u32,
    hashes: &[u64],
    lengths: &[usize],
) -> (Vec<u64>, RunningPolynomials) {
    let prints = Fingerprinter::new(&params(size));
    let (mut running, mut all) = (RunningPolynomials::default(), Vec::new());
    let mut lengths = lengths.iter().copied().cycle();
    let mut from = 0;
    while from < hashes.len() {
        let end = hashes.len().min(from + lengths.next().unwrap_or(CHUNK));
        let mut windows = [0; CHUNK];
        let roll = Roll {
            prints: &prints,
            hashes: &hashes[..end],
            from,
            size: size as usize,
            running,
            windows: &mut windows,
        };
        running = crate::dispatch::run(cpu.level(), roll);
        all.extend_from_slice(&windows[..end - from]);
        from = end;
    }
    (all, running)
}

proptest! {
    #[test]
    fn all_forms_roll_alike(
        hashes in prop::collection::vec(any::<u64>(), 0..700),
        size in prop_oneof![1_u32..12, 1_u32..400],
        lengths in prop::collection::vec(1_usize..=CHUNK, 1..4),
    ) {
        let expected = rolled(Cpu::portable(), size, &hashes, &[1]);
        for cpu in Cpu::all() {
            prop_assert_eq!(&rolled(cpu, size, &hashes, &lengths), &expected, "{}", cpu);
        }
    }
}
