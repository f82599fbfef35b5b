import { AppError } from '#shared/errors.ts';
import { escapeHtml } from './html.ts';
import type { HttpResponse } from './http-response.ts';
import type { LocalRequest, LocalRoute } from './local-route.ts';

// Drawings of the sample listings, made from name and colour: they contain no trademarks.

/** A number from a text, the same at every start. */
const hashOf = (text: string): number => {
  let hash = 2166136261;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619) >>> 0;
  return hash;
};

const svg = (width: number, height: number, title: string, drawing: string): HttpResponse => ({
  status: 200,
  headers: {
    'content-type': 'image/svg+xml',
    'cache-control': 'public, max-age=86400',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  },
  body: `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img"><title>${escapeHtml(title)}</title>${drawing}</svg>`,
});

/** Dark enough for white letters: at least 4.5 to 1. */
const colorOf = (slug: string, lightness = 34): string => `hsl(${hashOf(slug) % 360} 55% ${lightness}%)`;

const initialsOf = (slug: string): string =>
  slug
    .split('-')
    .slice(0, 2)
    .map((word) => word.slice(0, 1).toUpperCase())
    .join('');

const SHAPES = [
  '<circle cx="96" cy="32" r="44"/>',
  '<path d="M0 128 128 0v128z"/>',
  '<rect x="64" y="0" width="64" height="128"/>',
  '<path d="M0 84q32-40 64 0t64 0v44H0z"/>',
  '<circle cx="0" cy="128" r="88"/>',
];

const logo = (slug: string): HttpResponse =>
  svg(
    128,
    128,
    `Logo of ${slug}`,
    `<rect width="128" height="128" rx="28" fill="${colorOf(slug)}"/><g fill="#fff" opacity=".14">${SHAPES[hashOf(`${slug} shape`) % SHAPES.length]}</g><text x="64" y="66" fill="#fff" font-family="system-ui, sans-serif" font-size="54" font-weight="700" text-anchor="middle" dominant-baseline="central">${initialsOf(slug)}</text>`,
  );

/** A window with bars, lines or tiles, whose sizes come from the name. */
const screenshot = (slug: string, number: number): HttpResponse => {
  const random = (index: number): number => hashOf(`${slug} ${number} ${index}`) % 100;
  const accent = colorOf(slug);
  const bars = Array.from({ length: 9 }, (_, index) => {
    const height = 60 + random(index) * 2.2;
    return `<rect x="${330 + index * 92}" y="${560 - height}" width="56" height="${height}" rx="8" fill="${accent}" opacity="${0.45 + random(index + 20) / 200}"/>`;
  });
  const lines = Array.from({ length: 9 }, (_, index) => {
    const y = 190 + index * 42;
    return `<rect x="330" y="${y}" width="${360 + random(index) * 4.2}" height="18" rx="9" fill="${index % 4 === 0 ? accent : '#cbd5e1'}"/>`;
  });
  const tiles = Array.from({ length: 8 }, (_, index) => {
    const [x, y] = [330 + (index % 4) * 208, 180 + Math.floor(index / 4) * 200];
    return `<rect x="${x}" y="${y}" width="184" height="176" rx="16" fill="${accent}" opacity="${0.2 + random(index) / 140}"/>`;
  });
  const content = [bars, lines, tiles][(hashOf(slug) + number) % 3]?.join('') ?? '';
  const menu = Array.from(
    { length: 6 },
    (_, index) =>
      `<rect x="48" y="${190 + index * 56}" width="${110 + random(index + 40)}" height="20" rx="10" fill="#fff" opacity="${index === number ? 0.95 : 0.45}"/>`,
  ).join('');
  return svg(
    1200,
    675,
    `Drawing of a screen of ${slug}`,
    `<rect width="1200" height="675" fill="#f8fafc"/><rect width="280" height="675" fill="${accent}"/><rect x="280" width="920" height="96" fill="#fff"/><rect x="330" y="36" width="300" height="24" rx="12" fill="#e2e8f0"/><circle cx="1130" cy="48" r="24" fill="${accent}" opacity=".8"/><text x="48" y="72" fill="#fff" font-family="system-ui, sans-serif" font-size="34" font-weight="700">${initialsOf(slug)}</text>${menu}${content}`,
  );
};

const PATH = '/_local/samples';

/** How many screenshots a sample listing has. */
const SCREENSHOTS = 2;

/** The addresses of the drawings of a listing. @param origin of the local server. */
export const sampleImages = (origin: string, slug: string) => ({
  logo_url: `${origin}${PATH}/${slug}/logo.svg`,
  screenshots: Array.from({ length: SCREENSHOTS }, (_, index) => `${origin}${PATH}/${slug}/screen-${index + 1}.svg`),
});

const respond = ({ params: { slug = '', file = '' } }: LocalRequest): HttpResponse => {
  const number = Number(/^screen-([12])\.svg$/.exec(file)?.[1] ?? 0);
  if (!/^[a-z0-9-]{1,100}$/.test(slug) || (number === 0 && file !== 'logo.svg')) throw new AppError('NOT_FOUND');
  return number === 0 ? logo(slug) : screenshot(slug, number);
};

export const sampleImageRoutes: readonly LocalRoute[] = [{ method: 'GET', path: `${PATH}/{slug}/{file}`, respond }];
