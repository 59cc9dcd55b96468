//! The methods of the papers, by their definitions: plain forms, over sets of fingerprints.
//!
//! | method | module | from |
//! |---|---|---|
//! | MIN_s, MOD_m, V_i, MIN_s of MOD_m | [`sample`] | Broder 1997 |
//! | minima under many functions, bands | [`minhash`] | Manning 2008; Bergillos 2018 |
//! | super-shingles | preset `super-shingles` | Broder, Glassman, Manasse, Zweig 1997 |
//! | families of hash functions | [`family`], `sketch::Rabin` | Bergillos 2018; Broder 1997 |

pub(crate) mod family;
pub(crate) mod minhash;
pub(crate) mod sample;
