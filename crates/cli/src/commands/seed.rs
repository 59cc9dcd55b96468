//! A fresh seed, and who may read the file that holds one.

use std::fs::File;
use std::io::{self, Read};

/// The seed is a secret, so only the owner may read the file.
pub(super) const MODE: u32 = 0o600;

/// 128 random bits as hex.
pub(super) fn random_seed() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_differ() {
        let (a, b) = (
            random_seed().expect("random"),
            random_seed().expect("random"),
        );
        assert!(a.len() == 32 && b.len() == 32 && a != b);
    }
}
