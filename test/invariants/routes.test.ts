import { expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { routes, table } from '#contract/table.ts';
import { isReservedSlug } from '#services/projects/slug.ts';
import { pathVariables } from '#shared/openapi/descriptions.ts';

const segmentsOf = (path: string): string[] => path.split('/').slice(1);
const isVariable = (segment: string): boolean => segment.startsWith('{');
const duplicates = (values: readonly string[]): string[] =>
  values.filter((value, index) => values.indexOf(value) !== index);

const pairs = routes.flatMap((first, index) => routes.slice(index + 1).map((second) => [first, second] as const));

/** Whether a path exists that matches both routes. */
const overlap = (first: Route, second: Route): boolean => {
  const [a, b] = [segmentsOf(first.path), segmentsOf(second.path)];
  return (
    a.length === b.length &&
    a.every((segment, at) => segment === b[at] || isVariable(segment) || isVariable(b[at] ?? ''))
  );
};

it('routes have an id that equals their position in the table', () => {
  for (const [domain, actions] of Object.entries(table)) {
    for (const [action, route] of Object.entries(actions)) expect(route.id).toBe(`${domain}.${action}`);
  }
});

it('routes have unique ids of the form domain.action', () => {
  for (const { id } of routes) expect(id).toMatch(/^[a-z][a-zA-Z]*\.[a-z][a-zA-Z]*$/);
  expect(duplicates(routes.map(({ id }) => id))).toEqual([]);
});

it('routes have unique combinations of method and path', () => {
  expect(duplicates(routes.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`))).toEqual([]);
});

/** The paths outside /api and /console: addresses that browsers and other programs know. */
const ROOT_PATHS: readonly string[] = [
  '/docs',
  '/feed.xml',
  '/atom.xml',
  '/feed.json',
  '/badges/{file}',
  '/sitemap.xml',
  '/sitemaps/{file}',
  '/robots.txt',
  '/llms.txt',
  '/{indexnow}.txt',
  '/mcp',
  '/.well-known/oauth-protected-resource',
];

it('routes but pages have paths under /api or /console, or of the list, of lower-case words and described variables', () => {
  for (const { path, errorPages } of routes) {
    if (!errorPages && !ROOT_PATHS.includes(path)) {
      expect(path).toMatch(/^\/(?:api|console)(?:\/(?:[a-z][a-z-]*(?:\.(?:json|css|csv))?|\{[a-z]+\}))*$/);
    }
    for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) expect(Object.keys(pathVariables)).toContain(name);
  }
});

it('routes use one variable name per path position', () => {
  const names = new Map<string, string>();
  for (const { path } of routes) {
    const segments = segmentsOf(path);
    segments.forEach((segment, at) => {
      if (!isVariable(segment)) return;
      const before = `/${segments.slice(0, at).join('/')}`;
      expect(`${before}: ${names.get(before) ?? segment}`).toBe(`${before}: ${segment}`);
      names.set(before, segment);
    });
  }
});

it('routes match a request unambiguously: of two candidates one is more literal at every difference', () => {
  for (const [first, second] of pairs) {
    if (first.method !== second.method || !overlap(first, second)) continue;
    const [a, b] = [segmentsOf(first.path), segmentsOf(second.path)];
    const moreLiteral = a.flatMap((segment, at) =>
      segment === b[at] ? [] : [isVariable(segment) ? 'second' : 'first'],
    );
    expect([first.id, second.id, new Set(moreLiteral).size]).toEqual([first.id, second.id, 1]);
  }
});

it('routes use only reserved slugs as literals in place of a project or category', () => {
  for (const [first, second] of pairs) {
    if (!overlap(first, second)) continue;
    const [a, b] = [segmentsOf(first.path), segmentsOf(second.path)];
    for (const [at, segment] of a.entries()) {
      const other = b[at] ?? '';
      const [literal, variable] = isVariable(segment) ? [other, segment] : [segment, other];
      if (literal === variable || (variable !== '{project}' && variable !== '{category}')) continue;
      expect([literal, isReservedSlug(literal)]).toEqual([literal, true]);
    }
  }
});

it('routes require an administrator and use the admin tier exactly under /api/admin', () => {
  for (const { id, path, auth, tier } of routes) {
    const isAdmin = path.startsWith('/api/admin/');
    expect([id, auth === 'admin']).toEqual([id, isAdmin]);
    expect([id, tier === 'admin']).toEqual([id, isAdmin]);
  }
});

it('routes require the cron secret exactly under /api/cron and a signature exactly under /api/webhooks', () => {
  for (const { id, path, auth } of routes) {
    expect([id, auth === 'cron']).toEqual([id, path.startsWith('/api/cron/')]);
    expect([id, auth === 'signature']).toEqual([id, path.startsWith('/api/webhooks/')]);
  }
});

it('routes are rate limited, except signed webhooks', () => {
  for (const { id, auth, tier } of routes) {
    if (tier === 'none') expect([id, auth === 'signature']).toEqual([id, true]);
  }
});

it('routes allow shared caching only for public GET routes', () => {
  for (const { id, cacheSeconds, auth, method } of routes) {
    if (cacheSeconds) expect([id, auth, method]).toEqual([id, 'public', 'GET']);
  }
});

it('routes have no body with GET, and at least one response, with 2xx statuses only, of pages also 301', () => {
  for (const { id, method, body, bodyKind, responses, errorPages } of routes) {
    if (method === 'GET') expect([id, body, bodyKind]).toEqual([id, undefined, undefined]);
    const statuses = Object.keys(responses);
    expect([id, statuses.length > 0]).toEqual([id, true]);
    for (const status of statuses) expect(`${id} ${status}`).toMatch(errorPages ? / (?:20\d|301)$/ : / 20\d$/);
  }
});

it('routes have a short summary', () => {
  for (const { summary } of routes) expect(summary).toMatch(/^[A-Z].{2,60}[^.]$/);
});
