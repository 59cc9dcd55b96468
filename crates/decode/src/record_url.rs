//! The kind of a record by its URL.

/// URNs under which crawlers file records of their own: texts and pictures that browsers made of
/// pages, lists of pages.
const CRAWLER_URNS: [&str; 7] = [
    "urn:x-",
    "urn:embeds:",
    "urn:fullpage:",
    "urn:pageinfo:",
    "urn:text:",
    "urn:thumbnail:",
    "urn:view:",
];

/// Schemes of records that a crawler writes about its work: manifests and logs of Wget and Wpull,
/// name lookups, the first record of an ARC file.
const CRAWLER_SCHEMES: [&str; 4] = ["metadata:", "dns:", "whois:", "filedesc:"];

/// Whether a URL is `http` or `https`, has no scheme, or is missing. Crawlers record name lookups
/// and the like as responses, too.
pub fn is_web(url: &str) -> bool {
    match memchr::memchr(b':', url.as_bytes()).map(|at| &url[..at]) {
        Some("http" | "https") | None => true,
        Some(scheme)
            if scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) =>
        {
            scheme.eq_ignore_ascii_case("http")
                || scheme.eq_ignore_ascii_case("https")
                || scheme.contains('.')
        }
        Some(_) => true,
    }
}

/// Whether a URL names a record that a crawler writes about its work.
pub fn is_of_crawler(url: &str) -> bool {
    // Most URLs are of the web.
    !url.starts_with("http")
        && CRAWLER_SCHEMES
            .iter()
            .chain(&CRAWLER_URNS)
            .any(|start| begins_with(url, start))
}

/// Whether a URL is that of the rules for crawlers of a site.
pub fn is_robots_txt(url: &str) -> bool {
    let end = memchr::memchr2(b'?', b'#', url.as_bytes()).unwrap_or(url.len());
    let Some(site) = url[..end].strip_suffix("/robots.txt") else {
        return false;
    };
    site.split_once("://")
        .is_some_and(|(_, host)| !host.contains('/'))
}

fn begins_with(url: &str, start: &str) -> bool {
    url.as_bytes()
        .get(..start.len())
        .is_some_and(|found| found.eq_ignore_ascii_case(start.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_the_web_are_told_from_those_of_crawlers() {
        for (url, web, of_crawler) in [
            ("http://a/", true, false),
            ("HTTPS://a/", true, false),
            ("a.example:80/x", true, false),
            ("", true, false),
            ("/path", true, false),
            ("ftp://a/", false, false),
            ("urn:isbn:1", false, false),
            ("dns:a.example", false, true),
            ("DNS:a.example", false, true),
            ("whois://x/a", false, true),
            (
                "metadata://gnu.org/software/wget/warc/MANIFEST.txt",
                false,
                true,
            ),
            ("urn:X-wpull:log", false, true),
            ("urn:text:http://a/", false, true),
            ("filedesc://a.arc", false, true),
            ("http://urn:x-/", true, false),
        ] {
            assert_eq!(
                (is_web(url), is_of_crawler(url)),
                (web, of_crawler),
                "{url}"
            );
        }
    }

    #[test]
    fn only_the_robots_txt_of_a_site_is_one() {
        for (url, expected) in [
            ("http://a.example/robots.txt", true),
            ("https://a.example:81/robots.txt?x=/y", true),
            ("http://a.example/docs/robots.txt", false),
            ("http://a.example/robots.txt/", false),
            ("http://a.example/?/robots.txt", false),
            ("http://robots.txt", false),
            ("robots.txt", false),
            ("", false),
        ] {
            assert_eq!(is_robots_txt(url), expected, "{url}");
        }
    }
}
