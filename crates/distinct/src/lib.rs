//! distinct
