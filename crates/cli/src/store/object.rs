//! An object that is open.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex};

use decode::objects::Object;
use model::FileStat;

use object_store::{GetOptions, ObjectMeta};
use tokio::task::JoinHandle;

use crate::store::clients::{Client, Stores, io_error, locked};
use crate::store::read_ahead::{Fetched, ReadAhead};

/// An object, and what was read of it ahead.
pub(crate) struct StoredObject {
    stores: Arc<Stores>,
    client: Client,
    meta: ObjectMeta,
    stat: FileStat,
    ahead: Mutex<ReadAhead<Request>>,
}

/// A request under way; it ends with its owner.
pub(crate) struct Request(JoinHandle<io::Result<Vec<u8>>>);

impl Drop for Request {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl fmt::Debug for StoredObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StoredObject")
            .field(&self.meta.location)
            .finish()
    }
}

impl StoredObject {
    pub(crate) fn new(
        stores: Arc<Stores>,
        client: Client,
        meta: ObjectMeta,
        stat: FileStat,
    ) -> StoredObject {
        let ahead = Mutex::new(ReadAhead::of(meta.size));
        StoredObject {
            stores,
            client,
            meta,
            stat,
            ahead,
        }
    }

    /// Asks for bytes of the object as it was when it was looked at.
    fn request(&self, start: u64, end: u64) -> Request {
        let mut options = GetOptions::new().with_range(Some(start..end));
        match &self.meta.e_tag {
            Some(tag) => options.if_match = Some(tag.clone()),
            None => options.if_unmodified_since = Some(self.meta.last_modified),
        }
        let (client, path) = (Arc::clone(&self.client), self.meta.location.clone());
        Request(self.stores.start(async move {
            let answer = client.get_opts(&path, options).await.map_err(io_error)?;
            let bytes = answer.bytes().await.map_err(io_error)?;
            match bytes.len() as u64 == end - start {
                true => Ok(bytes.into()),
                false => Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }))
    }
}

impl Object for StoredObject {
    fn stat(&self) -> FileStat {
        self.stat
    }

    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut ahead = locked(&self.ahead);
        let most = self.stores.range_bytes();
        ahead.prepare(offset, out.len(), most, &mut |start, end| {
            self.request(start, end)
        });
        let read = ahead.read(out, offset, &mut |request| match request {
            Fetched::Bytes(bytes) => Ok(std::mem::take(bytes)),
            Fetched::Request(request) => {
                let answer = self.stores.wait(&mut request.0)?;
                answer.map_err(io::Error::other)?
            }
        });
        // A request that failed is made anew by the next call.
        read.inspect_err(|_| ahead.forget())
    }
}
