// The map of the listings, with a card of the one that was chosen.

import type { MapClusters } from '#contract/projects.ts';
import { apiUrl, failureOf, pageUrl, RequestError } from '../browser/api.ts';
import { type Cluster, isSingle, type Single, showListingMap } from '../browser/listing-map.ts';
import { problemText, t } from '../browser/messages.ts';
import { pageData } from '../browser/page-data.ts';
import { hueOf, initialsOf, shownImage } from '../images.ts';
import type { MapData } from '../pages/map.tsx';
import { stopWaiting } from '../waiting.ts';

const { projection, lighting, hasLogos, style } = pageData<MapData>();
const { lang } = document.documentElement;
const number = new Intl.NumberFormat(lang);
const find = <E extends Element = HTMLElement>(selector: string): E => document.querySelector<E>(selector) as E;

const frame = find('[data-map]');
const surface = find('[data-map-view]');
const outlines = find<SVGSVGElement>('[data-map-outlines]');
const markers = find('[data-map-markers]');
const card = find('[data-map-card]');
const status = find('[data-map-status]');
const problem = find('[data-map-problem]');

/** The filters of the page, which the API takes as well. */
const filters = new URLSearchParams(location.search);
for (const name of ['page', 'sort', 'bbox']) filters.delete(name);

/** The light of the hour where the settings leave it to the map. */
const lightNow = (): string => {
  if (lighting !== 'auto') return lighting;
  const hour = new Date().getHours();
  if (hour < 5 || hour >= 21) return 'night';
  if (hour < 8) return 'dawn';
  return hour < 18 ? 'day' : 'dusk';
};
frame.dataset.light = lightNow();

const element = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

let opener: HTMLElement | undefined;

const closeCard = (): void => {
  card.hidden = true;
  card.replaceChildren();
  opener?.focus();
  opener = undefined;
};

const openCard = (from: HTMLElement, ...content: readonly Node[]): void => {
  opener = from;
  const close = element('button', { type: 'button', className: 'link-button' }, t('map.close'));
  close.addEventListener('click', closeCard);
  card.replaceChildren(...content, close);
  card.hidden = false;
  card.querySelector('a')?.focus();
};

const logoOf = ({ name, logo_url }: Single['properties']): HTMLElement => {
  const image = shownImage(logo_url, location.origin);
  const made = element('span', { className: `logo size-48 hue-${hueOf(name)}`, ariaHidden: 'true' });
  made.append(
    image === undefined
      ? initialsOf(name)
      : element('img', { src: image, alt: '', width: 48, height: 48, referrerPolicy: 'no-referrer' }),
  );
  return made;
};

const showSingle = (from: HTMLElement, { properties }: Single): void => {
  const { name, slug, pricing, average_rating, ratings_count, address_city, address_country } = properties;
  const at = [address_city, address_country].filter((one) => one !== '').join(', ');
  const facts = [
    pricing === null ? '' : t(`pricing.${pricing as 'free'}`),
    ratings_count > 0
      ? t('map.rating', { rating: number.format(average_rating), count: number.format(ratings_count) })
      : '',
    at,
  ].filter((one) => one !== '');
  const text = element(
    'div',
    {},
    element('p', {}, element('a', { href: pageUrl(`/projects/${slug}`), dir: 'auto' }, name)),
    element('p', { className: 'soft small', dir: 'auto' }, facts.join(' · ')),
  );
  openCard(from, ...(hasLogos ? [logoOf(properties)] : []), text);
};

const showTogether = (from: HTMLElement, { properties, bbox }: Cluster): void => {
  const query = new URLSearchParams(filters);
  query.set('bbox', bbox.join(','));
  const text = element(
    'div',
    {},
    element('p', {}, t('map.sameplace', { count: number.format(properties.count) })),
    element('p', {}, element('a', { href: pageUrl(`/projects?${query.toString()}`) }, t('map.sameplace.list'))),
  );
  openCard(from, text);
};

const map = showListingMap(
  { surface, outlines, markers },
  {
    // A style is drawn as a plane.
    kind: style ? 'mercator' : projection,
    format: (count) => number.format(count),
    labelOf: (count, isApart) => t(isApart ? 'map.cluster' : 'map.sameplace', { count }),
    load: async (box, zoom, signal) => {
      const query = new URLSearchParams(filters);
      query.set('bbox', box);
      query.set('zoom', String(zoom));
      const response = await fetch(`${apiUrl}/projects/map?${query.toString()}`, { signal });
      if (!response.ok) throw await failureOf(response);
      return (await response.json()) as MapClusters;
    },
    onLoaded: (total) => {
      status.textContent = t('map.count', { count: number.format(total) });
      problem.hidden = true;
    },
    onProblem: (error) => {
      problem.textContent = problemText(error instanceof TypeError ? new RequestError(0, {}) : error);
      problem.hidden = false;
    },
    onOpen: (marker, one) => (isSingle(one) ? showSingle(marker, one) : showTogether(marker, one)),
  },
);

find('[data-map-in]').addEventListener('click', () => map.zoomBy(1));
find('[data-map-out]').addEventListener('click', () => map.zoomBy(-1));
find('[data-map-whole]').addEventListener('click', () => map.showWhole());
stopWaiting(frame);
frame.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape' && !card.hidden) closeCard();
});

if (style) {
  try {
    const { drawStyle } = await import('../browser/map-style.ts');
    map.setBackground(await drawStyle(find('[data-map-background]'), style, map.view()));
    frame.dataset.hasStyle = '';
  } catch {
    // The outlines stay.
    find('[data-map-style-failed]').hidden = false;
  }
}
