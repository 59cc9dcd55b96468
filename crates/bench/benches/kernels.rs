//! The hot loops by the clock, under divan: `cargo bench -p bench --bench kernels`. The table of
//! stages has them in CPU time.

use bench::kernels::{Inputs, Kernel};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use std::sync::LazyLock;

static INPUTS: LazyLock<Inputs> = LazyLock::new(Inputs::generated);

fn main() {
    divan::main();
}

fn of(bencher: Bencher<'_, '_>, kernel: Kernel) {
    let (amount, unit) = kernel.amount(&INPUTS);
    match unit {
        "B" => bencher
            .counter(BytesCount::new(amount))
            .bench(|| kernel.run(&INPUTS)),
        _ => bencher
            .counter(ItemsCount::new(amount))
            .bench(|| kernel.run(&INPUTS)),
    }
}

#[divan::bench(sample_count = 7, sample_size = 1)]
fn tokenise(bencher: Bencher<'_, '_>) {
    of(bencher, Kernel::Tokenise);
}

#[divan::bench(sample_count = 7, sample_size = 1)]
fn fingerprint(bencher: Bencher<'_, '_>) {
    of(bencher, Kernel::Fingerprint);
}

#[divan::bench(sample_count = 7, sample_size = 1)]
fn sketch_modulus(bencher: Bencher<'_, '_>) {
    of(bencher, Kernel::SketchModulus);
}

#[divan::bench(sample_count = 7, sample_size = 1)]
fn sketch_adaptive(bencher: Bencher<'_, '_>) {
    of(bencher, Kernel::SketchAdaptive);
}

#[divan::bench(sample_count = 7, sample_size = 1)]
fn sort_in_memory(bencher: Bencher<'_, '_>) {
    of(bencher, Kernel::Sort);
}

#[divan::bench(sample_count = 7, sample_size = 1)]
fn expand(bencher: Bencher<'_, '_>) {
    of(bencher, Kernel::Expand);
}

#[divan::bench(sample_count = 7, sample_size = 1)]
fn union_find(bencher: Bencher<'_, '_>) {
    of(bencher, Kernel::UnionFind);
}
