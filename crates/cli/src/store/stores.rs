//! The stores that URLs name: one client for each bucket and each web server.

use std::io;
use std::sync::Arc;

use decode::objects::{self, Object, ObjectStopped, ObjectStore};
use model::FileStat;
use object_store::{ObjectMeta, ObjectStoreExt};
use tokio::task::JoinSet;

use crate::store::clients::{Located, Stores, io_error, stat_of};
use crate::store::object::StoredObject;

/// Objects that are looked at at once.
const LOOKS: usize = 16;

/// Reads URLs as input from now on. `stops` says whether the program is to end: then nothing waits
/// for the network any more.
pub(crate) fn use_objects(stops: fn() -> bool) -> io::Result<()> {
    let stores = Arc::new(Stores::new(stops)?);
    objects::use_store(Box::new(Store(stores)));
    Ok(())
}

/// The answers of the stores.
struct Store(Arc<Stores>);

impl ObjectStore for Store {
    fn look_at(&self, urls: &[String]) -> Vec<io::Result<FileStat>> {
        let stores = &self.0;
        let located: Vec<io::Result<Located>> =
            urls.iter().map(|url| stores.located(url)).collect();
        let mut answers: Vec<io::Result<ObjectMeta>> = Vec::with_capacity(urls.len());
        let mut requests = Vec::new();
        for (at, located) in located.into_iter().enumerate() {
            answers.push(Err(io::Error::other(ObjectStopped)));
            match located {
                Ok(located) => requests.push((at, located)),
                Err(error) => answers[at] = Err(error),
            }
        }
        // After a signal the answers that are missing say so.
        let _ = stores.wait(async {
            let mut requests = requests.into_iter();
            let mut running = JoinSet::new();
            loop {
                let free = LOOKS - running.len();
                for (at, Located { client, path }) in requests.by_ref().take(free) {
                    running.spawn(async move { (at, client.head(&path).await) });
                }
                match running.join_next().await {
                    Some(Ok((at, answer))) => answers[at] = answer.map_err(io_error),
                    Some(Err(_)) => {}
                    None => break,
                }
            }
        });
        let seen = urls.iter().zip(answers);
        seen.map(|(url, answer)| answer.map(|meta| stores.see(url, meta)))
            .collect()
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<(String, FileStat)>> {
        let stores = &self.0;
        let Located { client, path } = stores.located(prefix)?;
        let host = prefix
            .match_indices('/')
            .nth(2)
            .map_or(prefix.len(), |(at, _)| at + 1);
        let host = &prefix[..host];
        let listed = stores.wait(async {
            let mut listed = Vec::new();
            let mut pages = client.list(Some(&path));
            while let Some(meta) =
                std::future::poll_fn(|context| pages.as_mut().poll_next(context)).await
            {
                listed.push(meta.map_err(io_error)?);
            }
            Ok(listed)
        })?;
        let listed: io::Result<Vec<ObjectMeta>> = listed;
        let seen = listed?.into_iter().map(|meta| {
            let url = format!("{host}{}", meta.location);
            let stat = stores.see(&url, meta);
            (url, stat)
        });
        Ok(seen.collect())
    }

    fn open(&self, url: &str) -> io::Result<Arc<dyn Object>> {
        let stores = &self.0;
        let Located { client, path } = stores.located(url)?;
        let seen = stores.seen(url);
        let meta = match seen {
            Some(meta) => meta,
            None => {
                let meta = stores.wait(client.head(&path))?.map_err(io_error)?;
                stores.see(url, meta.clone());
                meta
            }
        };
        let stat = stat_of(url, &meta);
        let stores = Arc::clone(stores);
        Ok(Arc::new(StoredObject::new(stores, client, meta, stat)))
    }

    fn reserve(&self, bytes: usize, readers: usize) -> usize {
        self.0.allow(bytes, readers)
    }
}
