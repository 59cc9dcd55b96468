//! Answers to requests, and the bytes of those that clients have not taken yet.
//!
//! *Algorithm.* A page takes permits for its bytes, which go with its last reference: when the
//! client has it, or is gone. *Memory.* [`HELD_BYTES`] of pages. *Limits.* A page of more bytes is
//! answered while no other is held.

use crate::web::page::{View, page};
use crate::web::safety::{clean, headers};
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::html;
use pipeline::with_config_options;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// Bytes of pages that are held for clients which do not read them.
const HELD_BYTES: usize = 32 << 20;

/// The pages that are held.
pub(crate) struct HeldPages(Arc<Semaphore>);

/// A page until it is sent.
struct HeldPage {
    text: String,
    _permit: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for HeldPage {
    fn as_ref(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

impl HeldPages {
    /// None.
    pub(crate) fn new() -> HeldPages {
        HeldPages(Arc::new(Semaphore::new(HELD_BYTES)))
    }

    /// The page as an answer, or that the client shall come again: others do not take theirs.
    pub(crate) fn answer(&self, status: StatusCode, mut text: String) -> Response {
        text.shrink_to_fit();
        // At most 32 MiB: fits u32.
        let bytes = text.len().min(HELD_BYTES) as u32;
        let Ok(permit) = Arc::clone(&self.0).try_acquire_many_owned(bytes) else {
            let detail = "Too many answers wait for those who asked. Come again in five seconds.";
            let mut busy = message(StatusCode::SERVICE_UNAVAILABLE, "Busy", detail);
            let after = HeaderValue::from_static("5");
            busy.headers_mut().insert(header::RETRY_AFTER, after);
            return busy;
        };
        let page = Bytes::from_owner(HeldPage {
            text,
            _permit: permit,
        });
        (status, headers(HTML), Body::from(page)).into_response()
    }
}

/// The answer that leads to another address.
pub(crate) fn redirect(to: &str) -> Response {
    let mut all: HeaderMap = headers(HTML);
    match HeaderValue::from_str(to) {
        Ok(to) => {
            all.insert(header::LOCATION, to);
            (StatusCode::SEE_OTHER, all).into_response()
        }
        Err(_) => no_such_page(),
    }
}

/// The answer to an address that leads nowhere.
pub(crate) fn no_such_page() -> Response {
    message(StatusCode::NOT_FOUND, "Not found", "There is no such page.")
}

/// A page of one sentence.
pub(crate) fn message(status: StatusCode, title: &str, detail: &str) -> Response {
    let content = html! { p { (clean(&with_config_options(detail))) } };
    let page = page(View::Other, title, "pipeline --help", &content);
    (status, headers(HTML), page.into_string()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_are_not_taken_hold_so_many_bytes_and_no_more() {
        let pages = HeldPages::new();
        let page = |bytes: usize| pages.answer(StatusCode::OK, "x".repeat(bytes));
        let held: Vec<Response> = (0..4).map(|_| page(8 << 20)).collect();
        assert!(held.iter().all(|one| one.status() == StatusCode::OK));
        let busy = page(1);
        assert_eq!(busy.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(busy.headers()[header::RETRY_AFTER], "5");
        drop(held);
        // A page of more is answered alone.
        let largest = page(40 << 20);
        assert_eq!(largest.status(), StatusCode::OK);
        assert_eq!(page(1).status(), StatusCode::SERVICE_UNAVAILABLE);
        drop(largest);
        assert_eq!(page(1).status(), StatusCode::OK);
    }
}
