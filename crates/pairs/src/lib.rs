//! pairs
