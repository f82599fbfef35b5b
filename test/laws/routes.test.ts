import { describe, expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { routes, table } from '#contract/table.ts';
import { isReservedSlug } from '#domain/projects/slug.ts';
import { pathVariables } from '#shared/openapi/words.ts';

const segmentsOf = (path: string): string[] => path.split('/').slice(1);
const isVariable = (segment: string): boolean => segment.startsWith('{');
const twice = (values: readonly string[]): string[] => values.filter((value, index) => values.indexOf(value) !== index);

const pairs = routes.flatMap((first, index) => routes.slice(index + 1).map((second) => [first, second] as const));

/** Whether some path would fit both. */
const overlap = (first: Route, second: Route): boolean => {
  const [a, b] = [segmentsOf(first.path), segmentsOf(second.path)];
  return (
    a.length === b.length &&
    a.every((segment, at) => segment === b[at] || isVariable(segment) || isVariable(b[at] ?? ''))
  );
};

describe('routes', () => {
  it('are called by their place in the table', () => {
    for (const [domain, verbs] of Object.entries(table)) {
      for (const [verb, route] of Object.entries(verbs)) expect(route.id).toBe(`${domain}.${verb}`);
    }
  });

  it('have ids of the form domain.verbObject, each once', () => {
    for (const { id } of routes) expect(id).toMatch(/^[a-z]+\.[a-z][a-zA-Z]*$/);
    expect(twice(routes.map(({ id }) => id))).toEqual([]);
  });

  it('have one method and path each', () => {
    expect(twice(routes.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`))).toEqual([]);
  });

  it('have paths of lower-case words and known variables under /api', () => {
    for (const { path } of routes) {
      expect(path).toMatch(/^\/api(?:\/(?:[a-z][a-z-]*(?:\.(?:json|css))?|\{[a-z]+\}))+$/);
      for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) expect(Object.keys(pathVariables)).toContain(name);
    }
  });

  it('name the variable at one position of a path in one way', () => {
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

  it('never match one request in two ways: where two fit, one is the more literal at every difference', () => {
    for (const [first, second] of pairs) {
      if (first.method !== second.method || !overlap(first, second)) continue;
      const [a, b] = [segmentsOf(first.path), segmentsOf(second.path)];
      const moreLiteral = a.flatMap((segment, at) =>
        segment === b[at] ? [] : [isVariable(segment) ? 'second' : 'first'],
      );
      expect([first.id, second.id, new Set(moreLiteral).size]).toEqual([first.id, second.id, 1]);
    }
  });

  it('take no word for themselves that a project or category could have as its slug', () => {
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

  it('are for administrators, on their tier, exactly under /api/admin', () => {
    for (const { id, path, auth, tier } of routes) {
      const isAdmin = path.startsWith('/api/admin/');
      expect([id, auth === 'admin']).toEqual([id, isAdmin]);
      expect([id, tier === 'admin']).toEqual([id, isAdmin]);
    }
  });

  it('take the secrets of machines exactly under /api/cron and /api/webhooks', () => {
    for (const { id, path, auth } of routes) {
      expect([id, auth === 'cron']).toEqual([id, path.startsWith('/api/cron/')]);
      expect([id, auth === 'signature']).toEqual([id, path.startsWith('/api/webhooks/')]);
    }
  });

  it('are limited, but for the payment provider and for whoever asks whether the service is alive', () => {
    for (const { id, auth, tier } of routes) {
      if (tier === 'none') expect([id, auth === 'signature' || id === 'health.read']).toEqual([id, true]);
    }
  });

  it('let shared caches keep only what is the same for everybody', () => {
    for (const { id, cacheSeconds, auth, method } of routes) {
      if (cacheSeconds) expect([id, auth, method]).toEqual([id, 'public', 'GET']);
    }
  });

  it('take no body with GET and answer at least one good status', () => {
    for (const { id, method, body, bodyKind, replies } of routes) {
      if (method === 'GET') expect([id, body, bodyKind]).toEqual([id, undefined, undefined]);
      const statuses = Object.keys(replies);
      expect([id, statuses.length > 0]).toEqual([id, true]);
      for (const status of statuses) expect(`${id} ${status}`).toMatch(/ 20\d$/);
    }
  });

  it('say in a few words what they do', () => {
    for (const { summary } of routes) expect(summary).toMatch(/^[A-Z].{2,60}[^.]$/);
  });
});
