import type { Metafile } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleOutput, freshBundles } from '#lib/bundle.ts';
import { type HandlerFile, handlerFiles } from '#lib/handlers.ts';

/** A size budget per function. Every addition to the base has its reason here. */

/** The budget of what every function of a kind contains: log, table access, schemas, middleware. */
const BASE_BYTES: Readonly<Record<HandlerFile['kind'], number>> = {
  // 1 KB of them are the messages of invalid input, 2 KB the partitions of feed and ledger and the resumable snapshot, 2 KB
  // the mentions of users in the ledgers and writes that end in time, 2 KB the verification of API keys, 10 KB the revisions
  // of listings and the checks of staff, 10 KB batches and rules, 1 KB replays, runs of jobs and attempts of webhooks.
  route: 338_000,
  // 8 KB of them are revisions and batches, 2 KB replays and settings of jobs and dead letters.
  subscription: 264_000,
  // 2 KB of them are the events of revisions, batches, rules and keys.
  publisher: 187_000,
  // 1 KB of them is the number of partitions of the feed, a setting, and 2 KB further settings and keys.
  trigger: 224_000,
};

/** Large dependencies by a part of their paths, with the bytes they may add. */
const parts: Readonly<Record<string, { readonly bytes: number; readonly why: string }>> = {
  // 12 KB of them are the index of similar listings and the counts of facets.
  'shared/catalog/': { bytes: 55_000, why: 'queries the catalog' },
  '@aws-sdk/core/': { bytes: 136_000, why: 'uses a client of the SDK, for mail or models' },
  '@aws-sdk/client-ses/': { bytes: 33_000, why: 'sends mail' },
  '@aws-sdk/client-bedrock-runtime/': { bytes: 85_000, why: 'invokes a model' },
  'stripe/esm/': { bytes: 146_000, why: 'calls the payment provider' },
  'transliteration/': { bytes: 192_000, why: 'derives slugs from names in any script' },
  'csv-': { bytes: 40_000, why: 'reads or writes CSV' },
  '@fastify/busboy/': { bytes: 50_000, why: 'parses an upload' },
  'shared/services/analytics/roll-up.ts': { bytes: 11_000, why: 'rolls up tracked events' },
  'shared/services/imports/run.ts': { bytes: 20_000, why: 'imports rows, and signs requests to the object storage' },
  'disposable-email-domains-js/': { bytes: 175_000, why: 'recognizes disposable mail addresses' },
  'croner/': { bytes: 35_000, why: 'calculates the next run of a job' },
  'bowser/': { bytes: 36_000, why: 'counts visits by browser' },
  'docs/openapi.json': { bytes: 345_000, why: 'returns the OpenAPI document' },
};

/** The handlers that create slugs. */
const CREATES_SLUGS = [
  'projects.submit',
  'projects.importCsv',
  'imports.run',
  'categories.create',
  'payments.startCheckout',
];

/** The handlers that read or write CSV. */
const WITH_CSV = [
  'batches.exportErrors',
  'imports.preview',
  'imports.run',
  'imports.start',
  'projects.exportCsv',
  'projects.importCsv',
];

let bundles: Metafile;
beforeAll(async () => {
  bundles = await freshBundles();
}, 600_000);

const outputOf = (handler: HandlerFile) => bundleOutput(bundles, handler);
const contains = (handler: HandlerFile, part: string): boolean =>
  Object.entries(outputOf(handler).inputs).some(
    ([file, { bytesInOutput }]) => file.includes(part) && bytesInOutput > 0,
  );

describe.each([...handlerFiles])('the bundle of $id', (handler) => {
  it('is within its budget', () => {
    const held = Object.entries(parts).filter(([part]) => contains(handler, part));
    const budget = held.reduce((sum, [, { bytes }]) => sum + bytes, BASE_BYTES[handler.kind]);
    expect(outputOf(handler).bytes).toBeLessThanOrEqual(budget);
  });

  it('contains no dependency that no function uses', () => {
    const unused = ['@aws-sdk/credential-provider', '@smithy/credential-provider-imds/', 'aws-xray-sdk'];
    // The Bedrock client supports other ways to sign in and bundles their clients.
    const left = handler.permissions.includes('model') ? unused : [...unused, '@aws-sdk/nested-clients/'];
    expect(left.filter((part) => contains(handler, part))).toEqual([]);
  });
});

describe('large dependencies', () => {
  it('are in the bundles of the handlers that use them', () => {
    const holders = (part: string) => handlerFiles.filter((handler) => contains(handler, part)).map(({ id }) => id);
    expect(holders('transliteration/').filter((id) => !CREATES_SLUGS.includes(id))).toEqual([]);
    expect(holders('docs/openapi.json')).toEqual(['reference.readOpenapi']);
    expect(holders('@aws-sdk/client-bedrock-runtime/')).toEqual(['ai.generate']);
    expect(holders('csv-').toSorted()).toEqual(WITH_CSV);
    for (const part of Object.keys(parts)) expect([part, holders(part).length > 0]).toEqual([part, true]);
  });
});
