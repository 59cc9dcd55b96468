//! Protection from crawled text and from other sites: headers of every answer, the check of `Host`,
//! and text without characters that change how other text looks.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use output::is_harmful;

/// Nothing may run or load but the style and the script of this program.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The headers of every answer.
pub(crate) fn headers(content_type: &'static str) -> HeaderMap {
    let pairs = [
        (header::CONTENT_TYPE, content_type),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    let value = |(name, value)| (name, HeaderValue::from_static(value));
    pairs.into_iter().map(value).collect()
}

/// Whether a request names this server as its host. A page of another site that has its own name
/// resolve to this machine (DNS rebinding) does not.
pub(crate) fn is_own_host(headers: &HeaderMap, port: u16) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    let Ok(host) = host.to_str() else {
        return false;
    };
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|own| {
        let rest = host.strip_prefix(own);
        rest.is_some_and(|rest| rest == format!(":{port}") || rest.is_empty() && port == 80)
    })
}

/// The text with blanks as its only white space, and without characters that command a terminal or
/// turn the direction of writing.
pub(crate) fn clean(text: &str) -> String {
    let blank = |c: char| if c.is_whitespace() { ' ' } else { c };
    text.chars()
        .map(blank)
        .filter(|&c| !is_harmful(c))
        .collect()
}

/// The address if a browser may follow it.
pub(crate) fn followed(url: &str) -> Option<&str> {
    let lower = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    (lower.starts_with("http://") || lower.starts_with("https://")).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_hosts() {
        let is_own = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
            is_own_host(&headers, 7878)
        };
        for host in ["127.0.0.1:7878", "localhost:7878", "[::1]:7878"] {
            assert!(is_own(host), "{host}");
        }
        for host in [
            "",
            "localhost",
            "evil.example:7878",
            "localhost.evil.example:7878",
            "127.0.0.1:78",
            "localhost:7878.evil.example",
        ] {
            assert!(!is_own(host), "{host}");
        }
        let mut twice = HeaderMap::new();
        twice.append(header::HOST, HeaderValue::from_static("localhost:7878"));
        twice.append(header::HOST, HeaderValue::from_static("evil.example"));
        assert!(!is_own_host(&twice, 7878) && !is_own_host(&HeaderMap::new(), 7878));
    }

    #[test]
    fn only_web_addresses_are_followed() {
        assert_eq!(followed("HTTPS://a.example/"), Some("HTTPS://a.example/"));
        for url in [
            "javascript:alert(1)",
            "data:text/html,x",
            "//a.example",
            "ä",
            " http://a",
        ] {
            assert_eq!(followed(url), None, "{url}");
        }
    }

    #[test]
    fn text_keeps_its_direction() {
        assert_eq!(clean("a\u{202e}b\u{9b}31mc\n<d>"), "ab31mc <d>");
    }
}
