//! Keys of the hosts of URLs.

use engine::Engine;
use sketch::{UrlKeys, host_of};

/// Keys of the hosts of URLs, which often have the host of the URL before.
pub(crate) struct HostKeys {
    keys: UrlKeys,
    /// The start of the last URL up to the slash behind its host; empty if it had none.
    start: String,
    host: String,
    key: u128,
}

impl HostKeys {
    pub(crate) fn of(engine: &Engine<'_>) -> HostKeys {
        HostKeys {
            keys: UrlKeys::of(&engine.config.sketch.keys),
            start: String::new(),
            host: String::new(),
            key: 0,
        }
    }

    /// The key of the host in lower case; 0 if there is none.
    pub(crate) fn key(&mut self, url: Option<&str>) -> u128 {
        let url = url.unwrap_or_default();
        if !self.start.is_empty() && url.starts_with(&self.start) {
            return self.key;
        }
        let host = host_of(url);
        if host.is_empty() {
            return 0;
        }
        self.start = start_of(url).to_owned();
        if !self.host.eq_ignore_ascii_case(host) {
            self.host = host.to_ascii_lowercase();
            self.key = self.keys.exact(&self.host).max(1);
        }
        self.key
    }
}

/// A URL up to the slash behind its authority; nothing if no slash ends the authority.
fn start_of(url: &str) -> &str {
    let authority = url.find("://").map_or(url.len(), |scheme| scheme + 3);
    let ends = |byte: &u8| matches!(byte, b'/' | b'?' | b'#');
    let end = url.bytes().skip(authority).position(|byte| ends(&byte));
    match end.map(|end| url.split_at(authority + end)) {
        Some((_, rest)) if rest.starts_with('/') => &url[..=url.len() - rest.len()],
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_the_hosts_whatever_url_came_before() {
        let urls = [
            "http://a.test/x",
            "http://a.test/y",
            "http://A.test/y",
            "http://a.test?x/",
            "no host",
            "http://a.test.example/",
            "https://u@a.test/",
            "http://a.test",
            "http://b.test:80/x",
            "http://b.test:80/y",
            "http://b.test/y",
            "",
            "http://[::1]/x",
            "http://[::1]/",
        ];
        let fresh = || HostKeys {
            keys: UrlKeys::of(&sketch::FingerprintKeys::from_seed("a")),
            start: String::new(),
            host: String::new(),
            key: 0,
        };
        for one in urls {
            for other in urls {
                let mut keys = fresh();
                keys.key(Some(one));
                assert_eq!(
                    keys.key(Some(other)),
                    fresh().key(Some(other)),
                    "{one} {other}"
                );
            }
        }
        assert_eq!(fresh().key(Some(urls[0])), fresh().key(Some(urls[2])));
        assert_eq!(fresh().key(None), 0);
        assert_ne!(fresh().key(Some(urls[0])), 0);
    }
}
