import type { Field } from '#contract/custom-fields.ts';
import { type Language, pagePrefixes, withPrefix } from '#contract/languages.ts';
import type { SiteSettings } from '#contract/settings.ts';
import { digest } from '#model/entity-tag.ts';
import { defaultSettings } from '#model/setting.ts';
import { DerivedTexts } from '#platform/derived-texts.ts';
import { environment } from '#platform/environment.ts';
import { siteSettings } from '#services/admin/settings.ts';
import { listedFields } from '#services/fields/manage.ts';
import { listedVersion } from '#services/projects/list.ts';
import { AppError, notFound, PageError } from '#shared/errors.ts';
import { assetPath } from './assets.ts';
import type { PageContext } from './context.ts';
import { documentOf } from './document.tsx';
import type { LoadPage, PageRequest } from './page.ts';
import { categoriesPage, categoryPage } from './pages/categories.tsx';
import { checkoutPage } from './pages/checkout.tsx';
import { collectionPage } from './pages/collection.tsx';
import { errorPageOf } from './pages/error.tsx';
import { homePage } from './pages/home.tsx';
import { mapPage } from './pages/map.tsx';
import { mePage } from './pages/me.tsx';
import { projectPage } from './pages/project.tsx';
import { projectsPage } from './pages/projects.tsx';
import { signInPage } from './pages/sign-in.tsx';
import { submitPage } from './pages/submit.tsx';
import { aboutPage, legalPage } from './pages/text.tsx';
import { wordsOf } from './words.ts';

/** The pages by the path of their route. */
const pages: Readonly<Record<string, LoadPage>> = {
  '/': homePage,
  '/projects': projectsPage,
  '/projects/{project}': projectPage,
  '/sign-in': signInPage,
  '/me': mePage,
  '/map': mapPage,
  '/submit': submitPage,
  '/checkout/success': checkoutPage('success'),
  '/checkout/cancel': checkoutPage('cancel'),
  '/about': aboutPage,
  '/legal/{text}': legalPage,
  '/categories': categoriesPage,
  '/categories/{category}': categoryPage,
  '/collections/{collection}': collectionPage,
};

/** The part of an address before the paths of the site: a gateway's stage, or nothing. */
const basePath = (): string => new URL(environment().siteUrl).pathname.replace(/\/$/, '');

const translationsOf = (base: string): PageContext['translations'] => {
  const { origin } = new URL(environment().siteUrl);
  const { siteLanguages } = environment();
  const prefixes = pagePrefixes(siteLanguages);
  return siteLanguages.map((lang, index) => {
    const href = (path: string): string => `${base}${withPrefix(prefixes[index] ?? '', path)}`;
    return { lang, href, address: (path) => `${origin}${href(path)}` };
  });
};

const contextOf = (settings: SiteSettings, fields: readonly Field[], lang: Language, here: string): PageContext => {
  const base = basePath();
  const { siteName, siteUrl } = environment();
  const translations = translationsOf(base);
  const { href, address } = translations.find((one) => one.lang === lang) as PageContext['translations'][number];
  return {
    ...wordsOf(lang),
    settings,
    fields,
    name: settings.site?.name ?? siteName,
    here,
    href,
    address,
    translations,
    root: (path) => `${base}${path}`,
    asset: (name) => `${base}/assets/${assetPath(name)}`,
    origin: new URL(siteUrl).origin,
  };
};

const CACHED = { 'cache-control': 'public, max-age=0, s-maxage=60' };

/**
 * The document of a failure. The settings may be what is not available.
 * @param here see `PageContext`.
 * @param listing see `errorPageOf`.
 */
const failureDocument = async (
  failure: AppError,
  lang: Language,
  here: string,
  listing?: string,
): Promise<PageError['page']> => {
  const settings = await siteSettings().catch(() => undefined);
  const { features, siteName } = environment();
  const fallback = {
    ...defaultSettings(siteName),
    features: Object.entries(features).flatMap(([name, isOn]) => (isOn ? [name] : [])),
  } as unknown as SiteSettings;
  const site = contextOf(settings ?? fallback, [], lang, here);
  return documentOf(errorPageOf(failure.status, site, listing), site);
};

/** The language of a page by the path of its route. */
const languageOf = (resource: string): Language => {
  const { siteLanguages } = environment();
  const [, first] = resource.split('/');
  return siteLanguages.slice(1).find((one) => one === first) ?? (siteLanguages[0] as Language);
};

/** The document of a failure before a page was read. @param resource the path of the route. */
export const failurePage = (failure: AppError, resource: string): Promise<PageError['page']> =>
  failureDocument(failure, languageOf(resource), '/');

type Params = PageRequest['params'];

/** The path of the page that an address in a further language is for, with its variables. */
const translatedPage = (
  resource: string,
  lang: Language,
  { page = resource === `/${lang}` ? '' : undefined, part }: Params,
): { readonly path: string; readonly params: Params } => {
  const path = Object.keys(pages).find((one) => {
    const [, first, second] = one.split('/');
    return first === page && (second === part || (second?.startsWith('{') && part !== undefined));
  });
  const [, name] = /\{(\w+)\}/.exec(path ?? '') ?? [];
  return { path: path ?? '', params: name === undefined || part === undefined ? {} : { [name]: part } };
};

/** The path and query of a page within the site. */
const hereOf = (path: string, { params, query, ...byField }: Omit<PageRequest, 'site'>): string => {
  const sent = Object.entries(byField).flatMap(([name, fields]) =>
    Object.entries(fields).map(([key, value]) => [`${name}[${key}]`, value] as const),
  );
  const parameters = [...Object.entries(query), ...sent].flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, one]),
  );
  const search = new URLSearchParams(parameters).toString();
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return search === '' ? filled : `${filled}?${search}`;
};

interface Rendered {
  readonly status: 200;
  readonly text: string;
  readonly tag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The size of the kept pages, in characters. */
const KEPT_CHARACTERS_MAX = 4_000_000;

/**
 * The pages that were rendered from the same listings and settings. Settings are read again after a second, so that what a page read
 * from the table, and what depends on the time, is not older.
 */
const kept = new DerivedTexts<Rendered>(KEPT_CHARACTERS_MAX);

/** The response of a page. @throws {PageError} with the page for wrong input and for what does not exist. */
export const renderPage = async (resource: string, sent: Omit<PageRequest, 'site'>) => {
  const lang = languageOf(resource);
  const isTranslated = lang !== environment().siteLanguages[0];
  const { path, params } = isTranslated
    ? translatedPage(resource, lang, sent.params)
    : { path: resource, params: sent.params };
  const page = pages[path];
  // An address without a page.
  if (!page) throw notFound();
  const request = { ...sent, params };
  const here = hereOf(path, request);
  try {
    // A page must not ask for the counts of a field that the catalog does not know yet.
    const [settings, fields, version] = await Promise.all([siteSettings(), listedFields(), listedVersion()]);
    const key = `${lang} ${here}`;
    const known = kept.from(settings, version).get(key);
    if (known) return known;
    const site = contextOf(settings, fields, lang, here);
    const loaded = await page({ ...request, site });
    if ('movedTo' in loaded) {
      return { status: 301 as const, text: '', headers: { location: site.href(loaded.movedTo), ...CACHED } };
    }
    const document = documentOf(loaded, site);
    if (loaded.status === 400) throw new PageError('INVALID_INPUT', document);
    const { text } = document;
    const rendered: Rendered = { status: 200, text, tag: digest(text), headers: { ...document.headers, ...CACHED } };
    // What was read meanwhile may be newer than the version, never older: then the version is another one at the next request.
    kept.from(settings, version).set(key, rendered);
    return rendered;
  } catch (error) {
    if (!(error instanceof AppError) || error instanceof PageError || error.code !== 'NOT_FOUND') throw error;
    const listing = path === '/projects/{project}' ? params.project : undefined;
    throw new PageError('NOT_FOUND', await failureDocument(error, lang, here, listing));
  }
};
