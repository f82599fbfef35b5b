import { expect, it } from 'vitest';
import { type Feature, features } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import type { GateRequest } from '#http/call.ts';
import { gates } from '#http/gates.ts';
import { readSettings } from '#platform/settings.ts';
import { visibleText } from '#shared/openapi/visible.ts';
import { openapi } from '#shared/openapi.ts';

/** Each feature by itself: what is its own goes with it, and everything else stays. */

const without = (off: Feature) =>
  readSettings({
    TABLE_NAME: 'none',
    ...Object.fromEntries(
      features.map((feature) => [`FEATURE_${feature.toUpperCase()}`, feature === off ? 'off' : 'on']),
    ),
  });

const refusedBy = (off: Feature): string[] => {
  const settings = without(off);
  return routes
    .filter((route) => {
      try {
        gates.feature.before({ internal: { state: { route, settings } } } as unknown as GateRequest);
        return false;
      } catch (error) {
        expect(error).toMatchObject({ code: 'NOT_FOUND' });
        return true;
      }
    })
    .map((route) => `${route.method} ${route.path}`);
};

const document = openapi(routes, { version: '0' });

const documented = (off: Feature): string[] => {
  const { paths } = JSON.parse(visibleText(document, without(off).features)) as {
    paths: Record<string, Record<string, unknown>>;
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
};

it.each(features)('%s off takes its own routes away, and out of the document, and no others', (off) => {
  const own = routes.filter((route) => route.feature === off).map((route) => `${route.method} ${route.path}`);
  const others = routes.filter((route) => route.feature !== off).map((route) => `${route.method} ${route.path}`);
  expect(refusedBy(off).sort()).toEqual(own.sort());
  expect(documented(off).sort()).toEqual(others.sort());
});
