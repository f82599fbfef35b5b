import { createHash } from 'node:crypto';
import type { ComponentChild } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { siteTexts } from '#contract/settings.ts';
import { environment } from '#platform/environment.ts';
import { Icon } from './components/icons.tsx';
import { SearchForm } from './components/search-form.tsx';
import { type PageContext, SiteProvider, useSite } from './context.ts';
import { languageNames, messageKeys } from './messages.ts';
import type { Page } from './page.ts';
import { textPath } from './pages/text.tsx';
import { jsonText } from './structured-data.ts';
import { themeTokens } from './theme.ts';
import { waiting } from './waiting.ts';

/** Who is signed in. The page is the same for every visitor: the island `page` fills this in. */
const Account = ({ site: { t, href, root } }: { readonly site: PageContext }) => {
  return (
    <>
      <a class="button needs-script signed-out" href={href('/sign-in')} data-sign-in-link>
        {t('nav.signIn')}
      </a>
      <details class="account signed-in" data-account>
        <summary class="avatar">
          <span aria-hidden="true" data-user-initial />
          <span class="visually-hidden">{t('nav.account')}</span>
        </summary>
        <div class="menu">
          <p class="menu-name" dir="auto" data-user-name />
          <a href={href('/me')}>{t('nav.account')}</a>
          <a href={root('/console')} hidden data-staff>
            {t('nav.console')}
          </a>
          <button type="button" {...waiting} data-sign-out>
            {t('nav.signOut')}
          </button>
          <p class="problem" role="alert" hidden data-sign-out-failed>
            {t('problem.other')}
          </p>
        </div>
      </details>
    </>
  );
};

const Header = ({ site, hasSearch }: { readonly site: PageContext; readonly hasSearch: boolean }) => {
  const { t, href, name, settings } = site;
  const labels = Object.fromEntries(
    (['system', 'light', 'dark'] as const).map((one) => [one, t('theme.toggle', { theme: t(`theme.${one}`) })]),
  );
  return (
    <header class="site-header">
      <div class="width bar">
        <a class="brand" href={href('/')}>
          <span class="brand-mark" aria-hidden="true">
            {[...name][0]?.toUpperCase()}
          </span>
          <span class="brand-name" dir="auto">
            {name}
          </span>
        </a>
        <nav class="main-nav" aria-label={t('nav.label')}>
          <a href={href('/projects')}>{t('nav.projects')}</a>
          <a href={href('/categories')}>{t('nav.categories')}</a>
          {settings.features.includes('map') && <a href={href('/map')}>{t('nav.map')}</a>}
          <a href={href('/submit')}>{t('nav.submit')}</a>
        </nav>
        {hasSearch ? <SearchForm /> : <span class="spring" />}
        <div class="actions">
          <button type="button" class="icon-button" data-theme-toggle={JSON.stringify(labels)} hidden>
            <Icon name="theme" />
          </button>
          <Account site={site} />
        </div>
      </div>
    </header>
  );
};

const LocalBar = () => {
  const { t } = useSite();
  return (
    <aside class="local-bar" aria-label={t('local.label')}>
      <span>{t('local.text')}</span>
      <a href="/console">{t('local.console')}</a>
      <a href="/docs">{t('local.docs')}</a>
      <a href="/_local/mail">{t('local.inbox')}</a>
      <a href="/_local/events">{t('local.events')}</a>
    </aside>
  );
};

/** This page in the other languages. The island `page` adds what the address has besides. */
const Languages = ({
  site: { t, lang, translations, here },
  isIndexable,
}: {
  readonly site: PageContext;
  readonly isIndexable: boolean;
}) =>
  translations.length > 1 ? (
    <nav aria-label={t('languages.label')}>
      {translations.map((one) => (
        <a
          key={one.lang}
          href={one.href(here)}
          hreflang={one.lang}
          lang={one.lang}
          rel={isIndexable ? undefined : 'nofollow'}
          aria-current={one.lang === lang ? 'true' : undefined}
          data-language
        >
          {languageNames[one.lang]}
        </a>
      ))}
    </nav>
  ) : null;

const Footer = ({ site, isIndexable }: { readonly site: PageContext; readonly isIndexable: boolean }) => {
  const { t, href, root, name, settings } = site;
  return (
    <footer class="site-footer">
      <div class="width">
        <p dir="auto">{name}</p>
        <nav aria-label={t('footer.label')}>
          <a href={href('/projects')}>{t('nav.projects')}</a>
          <a href={href('/categories')}>{t('nav.categories')}</a>
          {settings.features.includes('map') && <a href={href('/map')}>{t('nav.map')}</a>}
          <a href={href('/submit')}>{t('nav.submit')}</a>
          {siteTexts
            .filter((text) => (settings.site?.texts[text] ?? '') !== '')
            .map((text) => (
              <a key={text} href={href(textPath(text))}>
                {t(`footer.${text}`)}
              </a>
            ))}
          {(settings.site?.links ?? []).map(({ label, url }) => (
            <a key={`${label} ${url}`} href={url} rel="noopener" dir="auto">
              {label}
            </a>
          ))}
          {settings.features.includes('feeds') && <a href={root('/feed.xml')}>{t('footer.feed')}</a>}
          <a href={root('/docs')}>{t('footer.api')}</a>
        </nav>
        <Languages site={site} isIndexable={isIndexable} />
      </div>
    </footer>
  );
};

/** Text of an attribute or an element. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const meta = (attribute: 'name' | 'property', name: string, content: string): string =>
  `<meta ${attribute}="${name}" content="${escaped(content)}">`;

/** The texts of the page's islands: what fails in all of them, and the messages under the given prefixes. */
const messagesOf = (prefixes: readonly string[], { t }: PageContext): string => {
  const keys = messageKeys.filter((key) => ['problem.', ...prefixes].some((prefix) => key.startsWith(prefix)));
  const texts = Object.fromEntries(keys.map((key) => [key, t.raw(key)]));
  return `<script type="application/json" id="messages">${jsonText(texts)}</script>`;
};

/** This page in all languages, and for speakers of others, for search engines. */
const alternatesOf = ({ canonical }: Page, { translations }: PageContext): readonly string[] => {
  const [first] = translations;
  if (canonical === undefined || !first || translations.length === 1) return [];
  const link = (lang: string, address: string) =>
    `<link rel="alternate" hreflang="${lang}" href="${escaped(address)}">`;
  return [
    ...translations.map(({ lang, address }) => link(lang, address(canonical))),
    link('x-default', first.address(canonical)),
  ];
};

/** What programs read of the site; the addresses are those of their formats. */
const FEED_LINKS = [
  '<link rel="describedby" href="/llms.txt" type="text/plain">',
  '<link rel="alternate" href="/feed.xml" type="application/rss+xml">',
];

const headOf = (page: Page, site: PageContext, tokens: string): string => {
  const { siteIndex } = environment();
  const image = page.image ?? site.settings.site?.image_url ?? '';
  const title = page.title === undefined ? site.name : `${page.title} · ${site.name}`;
  const canonical = page.canonical === undefined ? undefined : site.address(page.canonical);
  return [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escaped(title)}</title>`,
    meta('name', 'description', page.description),
    ...(canonical === undefined || !siteIndex ? [meta('name', 'robots', 'noindex')] : []),
    ...(canonical === undefined ? [] : [`<link rel="canonical" href="${escaped(canonical)}">`]),
    ...alternatesOf(page, site),
    meta('property', 'og:site_name', site.name),
    meta('property', 'og:title', page.title ?? site.name),
    meta('property', 'og:description', page.description),
    meta('property', 'og:type', page.kind ?? 'website'),
    ...(canonical === undefined ? [] : [meta('property', 'og:url', canonical)]),
    ...(page.image ? [meta('property', 'og:image', image), meta('name', 'twitter:card', 'summary_large_image')] : []),
    ...(site.settings.features.includes('feeds') ? FEED_LINKS : []),
    `<link rel="icon" href="${site.asset('icon.svg')}" type="image/svg+xml">`,
    `<link rel="stylesheet" href="${site.asset('main.css')}">`,
    `<style>${tokens}</style>`,
    `<script src="${site.asset('theme.js')}"></script>`,
    ...['page' as const, ...(page.islands ?? [])]
      .filter((island) => island !== 'search' || site.settings.features.includes('search'))
      .map((island) => `<script type="module" src="${site.asset(`${island}.js`)}"></script>`),
    ...(page.messages ? [messagesOf(page.messages, site)] : []),
    ...(page.data ? [`<script type="application/json" id="page-data">${jsonText(page.data)}</script>`] : []),
    ...(page.structuredData ?? []).map((data) => `<script type="application/ld+json">${jsonText(data)}</script>`),
  ].join('\n');
};

/** The sources that the pages may use. Styles of the theme are permitted by their digest, and no script is inline. */
const contentSecurityPolicy = (tokens: string, mapStyle: string | undefined): string => {
  const { signIn } = environment();
  const otherOrigins = [signIn?.issuer, signIn?.tokenUrl, mapStyle].flatMap(
    (address) => URL.parse(address ?? '')?.origin ?? [],
  );
  return [
    "default-src 'self'",
    `style-src 'self' 'sha256-${createHash('sha256').update(tokens).digest('base64')}'`,
    "img-src 'self' https: data:",
    ["connect-src 'self'", ...new Set(otherOrigins)].join(' '),
    ...(mapStyle === undefined ? [] : ["worker-src 'self'"]),
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
};

const Body = ({
  site,
  children,
  canonical,
}: {
  readonly site: PageContext;
  readonly children: ComponentChild;
  readonly canonical: string | undefined;
}) => (
  <>
    <a class="skip" href="#content">
      {site.t('skip')}
    </a>
    <Header site={site} hasSearch={canonical !== '/'} />
    <main id="content" tabIndex={-1}>
      {children}
    </main>
    <Footer site={site} isIndexable={canonical !== undefined} />
    {environment().localLinks && <LocalBar />}
  </>
);

/** A page as an HTML document, with the headers that belong to it. */
export const documentOf = (page: Page, site: PageContext) => {
  const tokens = themeTokens(site.settings.theme);
  const body = renderToString(
    <SiteProvider value={site}>
      <Body site={site} canonical={page.canonical}>
        {page.body}
      </Body>
    </SiteProvider>,
  );
  return {
    text: `<!doctype html>\n<html lang="${site.lang}" dir="${site.dir}" data-api="${site.root('/api')}" data-home="${site.href('/')}">\n<head>\n${headOf(page, site, tokens)}\n</head>\n<body>${body}</body>\n</html>\n`,
    headers: {
      'content-security-policy': contentSecurityPolicy(tokens, page.mapStyle),
      'referrer-policy': 'strict-origin-when-cross-origin',
    },
  };
};
