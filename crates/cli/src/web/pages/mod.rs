//! The views, one file each: what a page shows, made of a [`Site`](crate::web::site::Site).

pub(crate) mod cluster;
pub(crate) mod clusters;
pub(crate) mod compare;
pub(crate) mod document;
pub(crate) mod overview;
pub(crate) mod passages;
pub(crate) mod search;
pub(crate) mod sites;
pub(crate) mod threshold;
pub(crate) mod time;
