//! Words of classes and ids that mean something, those of the tools that write most pages. White
//! space parts the words of a list.

/// Ways through the site.
pub(super) const WAYS: &str = "
    nav navbar navigation navbox navmenu navlist menu menus sidebar sidebars sphinxsidebar
    sidenav breadcrumb breadcrumbs crumb crumbs pagination pager pagenav pagenavigation postnav
    postnavigation prevnext skiplink skipto skipnav toc tableof sitemap
";

/// Head and foot of a page.
pub(super) const HEAD_AND_FOOT: &str = "
    foot footnav masthead topbar siteheader siteinfo infoheader headertop headernav headermenu
    headerlinks search searchbox searchform toolbar tools utility
";

/// Ways to share a page, and other pages.
pub(super) const OTHER_PAGES: &str = "
    share sharing sharebar sharebox social sharedaddy addthis recommend recommendation
    recommendations popular trending relatedposts outbrain taboola zergnet morestories morenews
    morearticles moreposts morefrom moreon readmore readnext readalso mostread mostpopular
    mostviewed mostshared teilen compartir partage
";

/// Advertisements and offers.
pub(super) const OFFERS: &str = "
    ad ads advert advertisement banner banners sponsor sponsored sponsors promo promotion
    promoted newsletter newsletters subscribe subscription signup login paywall popup popups
    modal overlay widget widgets werbung anzeige anzeigen publicidad publicite reklama
";

/// Labels of a page, and notes about its author and its rights.
pub(super) const ABOUT: &str = "
    tags taglist tagcloud taglinks posttags entrytags byline meta metadata postmeta entrymeta
    authorbox authorbio authorinfo aboutauthor copyright legal disclaimer license rating vote
    votes captcha
";

/// Text that is not for the eye.
pub(super) const NOT_SEEN: &str = "
    screenreader sronly visuallyhidden
";

/// Frames even where they are most of a page.
pub(super) const FIRM: &str = "
    comment comments commentlist disqus respond replies kommentar kommentare comentario
    comentarios commentaire commentaires commenti komentarze reacties footer footers pagefooter
    sitefooter cookie cookies consent gdpr related recommended
";

/// Pairs of words, written together, that name content.
pub(super) const CONTENT: &str = "
    articlebody articlecontent articletext articlemain storybody storycontent storytext
    storymain entrybody entrycontent entrytext entrymain postbody postcontent posttext postmain
    newsbody newscontent newstext newsmain blogbody blogcontent blogtext blogmain bodycopy
    bodytext maincontent pagecontent doccontent docscontent textcontent richcontent contentbody
    richtext
";

/// Words, and pairs of words, that name code and other lines: those of Doxygen, Sphinx, Pygments,
/// Prism and GitHub.
pub(super) const CODE: &str = "
    fragment highlight sourcecode codeblock codetoolbar blobcode lineblock
";
