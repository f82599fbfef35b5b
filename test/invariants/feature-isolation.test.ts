import { expect, it } from 'vitest';
import { type Feature, features, neededFeatures } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import type { MiddlewareRequest } from '#http/call.ts';
import { middleware } from '#http/middleware.ts';
import { readEnvironment } from '#platform/environment.ts';
import { visibleText } from '#shared/openapi/visible.ts';
import { openapi } from '#shared/openapi.ts';

/** Each feature disabled alone: its own routes disappear, with those of features that need it, and no others. */

const without = (off: Feature) =>
  readEnvironment({
    TABLE_NAME: 'none',
    ...Object.fromEntries(
      features.map((feature) => [`FEATURE_${feature.toUpperCase()}`, feature === off ? 'off' : 'on']),
    ),
  });

const hiddenBy = (off: Feature): string[] => {
  const environment = without(off);
  return routes
    .filter((route) => {
      try {
        middleware.feature.before({ internal: { state: { route, environment } } } as unknown as MiddlewareRequest);
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

it.each(features)('%s off hides its own routes, also from the API reference, and no others', (off) => {
  const isOff = ({ feature }: (typeof routes)[number]) =>
    feature !== undefined && (feature === off || neededFeatures[feature] === off);
  const own = routes.filter(isOff).map(({ method, path }) => `${method} ${path}`);
  const others = routes.filter((route) => !isOff(route)).map(({ method, path }) => `${method} ${path}`);
  expect(hiddenBy(off).sort()).toEqual(own.sort());
  expect(documented(off).sort()).toEqual(others.sort());
});
