import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bundles, bundleFolder, freshBundles } from '#lib/bundle.ts';
import { configOf } from '#lib/config.ts';
import { constructIdOf, type Door, doors } from '#lib/doors.ts';
import { readSettings, settingNames } from '#platform/settings.ts';
import { ofType, settled, synthesize } from './synthesized.ts';

/** The environment of every function: what its template gives it is what its code reads, each way. */

const config = configOf('dev');
const { data, events, api } = synthesize({
  ...config,
  ai: { model: 'some-model', baseUrl: 'https://model.example.com/v1' },
  rateLimits: { general: '1/60', voting: '1/60', admin: '1/60', submission: '1/60' },
});

const templates = new Map(
  [data, events, api]
    .flatMap((stack) => ofType(stack, 'AWS::Lambda::Function'))
    .map(({ logicalId, properties }) => [
      logicalId.slice(0, -8),
      (properties.Environment as { Variables: Record<string, unknown> } | undefined)?.Variables,
    ]),
);
const variablesOf = (door: Door): Record<string, string> =>
  Object.fromEntries(
    Object.entries(templates.get(constructIdOf(door.id)) ?? {}).map(([name, value]) => [name, settled(value)]),
  );

/** The secrets that the modules of the outside world ask for. */
const secrets = globSync('shared/platform/*.ts').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/[sS]ecret\('([A-Z_]+)'\)/g)].map(([, name = '']) => name),
);

/** What the logger and the metrics read by themselves. */
const OF_LIBRARIES = ['LOG_LEVEL', 'POWERTOOLS_METRICS_NAMESPACE'];

const known = new Set([...settingNames, ...OF_LIBRARIES, ...secrets.map((name) => `${name}_PARAMETER`)]);

/** What a module cannot do without, beside its secrets. */
const needed: Readonly<Record<string, readonly string[]>> = {
  'shared/platform/mail.ts': ['MAIL_FROM', 'SITE_NAME', 'SITE_URL'],
  'shared/platform/bus.ts': ['BUS_NAME'],
  'shared/platform/stripe.ts': ['PREMIUM_PRICE', 'CURRENCY', 'SITE_URL'],
  'shared/platform/model.ts': ['AI_MODEL'],
  'shared/platform/metrics.ts': ['POWERTOOLS_METRICS_NAMESPACE'],
  'shared/platform/settings.ts': ['TABLE_NAME'],
};

let bundles: Bundles;
beforeAll(async () => {
  bundles = await freshBundles();
}, 60_000);

const modulesOf = (door: Door): readonly string[] =>
  Object.entries(bundles.outputs[`dist/functions/${door.path}/index.mjs`]?.inputs ?? {}).flatMap(
    ([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []),
  );

describe.each(doors.filter(({ id }) => id !== 'identity.addClaims'))('the environment of $id', (door) => {
  const variables = variablesOf(door);

  it('is one that the settings can be read from', () => {
    expect(() => readSettings(variables)).not.toThrow();
  });

  it('has no variable that nothing reads', () => {
    expect(Object.keys(variables).filter((name) => !known.has(name))).toEqual([]);
  });

  it('has every variable that something in it cannot do without', () => {
    const code = readFileSync(join(bundleFolder(door.path), 'index.mjs'), 'utf8');
    const wanted = [
      ...modulesOf(door).flatMap((file) => needed[file] ?? []),
      ...secrets.filter((name) => new RegExp(`["'\`]${name}["'\`]`).test(code)).map((name) => `${name}_PARAMETER`),
    ];
    expect(wanted.filter((name) => !(name in variables))).toEqual([]);
  });

  it('has the names of secrets and no secret', () => {
    expect(Object.keys(variables).filter((name) => secrets.includes(name))).toEqual([]);
    for (const [name, value] of Object.entries(variables)) {
      if (name.endsWith('_PARAMETER')) expect(value).toMatch(/^\/directory\/dev\//);
    }
  });
});

it('needs nothing where only claims are added', () => {
  expect(templates.get(constructIdOf('identity.addClaims'))).toBeUndefined();
});

it('finds the secrets that modules ask for', () => {
  expect(secrets.toSorted()).toEqual(['AI_API_KEY', 'CRON_SECRET', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET']);
});
