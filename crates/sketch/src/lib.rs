//! Phase 1: text → tokens → shingles → sketch.
