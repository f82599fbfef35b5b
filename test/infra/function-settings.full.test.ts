import { readFileSync } from 'node:fs';
import type { Metafile } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';
import { bundleFile, bundleOutput, freshBundles } from '#lib/bundle.ts';
import { type HandlerFile, handlerFiles } from '#lib/handlers.ts';
import { secrets, variablesOf } from './function-variables.ts';

/** The environment of every function has the variables that the modules in its bundle read. */

/** Variables that a module requires, besides its secrets. */
const requiredByModule: Readonly<Record<string, readonly string[]>> = {
  'shared/platform/ses.ts': ['MAIL_FROM', 'SITE_NAME', 'SITE_URL'],
  'shared/platform/eventbridge.ts': ['BUS_NAME'],
  'shared/platform/stripe.ts': ['PREMIUM_PRICE', 'CURRENCY', 'SITE_URL'],
  'shared/platform/bedrock.ts': ['AI_MODEL'],
  'shared/platform/metrics.ts': ['POWERTOOLS_METRICS_NAMESPACE'],
  'shared/platform/environment.ts': ['TABLE_NAME'],
  'shared/data/write.ts': ['FEED_SHARDS'],
  'shared/data/feed.ts': ['FEED_SHARDS'],
};

let bundles: Metafile;
beforeAll(async () => {
  bundles = await freshBundles();
});

const modulesOf = (handler: HandlerFile): readonly string[] =>
  Object.entries(bundleOutput(bundles, handler).inputs).flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [file] : [],
  );

it.each(handlerFiles.filter(({ id }) => id !== 'identity.addClaims'))(
  'the environment of $id has every variable that its modules require',
  (handler) => {
    const variables = variablesOf(handler);
    const code = readFileSync(bundleFile(handler.path), 'utf8');
    const isRead = (name: string): boolean => new RegExp(`["'\`]${name}["'\`]`).test(code);
    const required = [
      ...modulesOf(handler).flatMap((file) => requiredByModule[file] ?? []),
      ...secrets.filter(isRead).map((name) => `${name}_PARAMETER`),
    ];
    expect(required.filter((name) => !(name in variables))).toEqual([]);
  },
);
