import { beforeAll, describe, expect, it } from 'vitest';
import { type Bundles, freshBundles } from '#lib/bundle.ts';
import { type Door, doors } from '#lib/doors.ts';

/** How heavy each function may be, so that nobody makes it heavier without noticing. What may be added has its reason here. */

/** Log, table, schemas, and the gates of routes: what every function of a kind is made of. */
const BASE_BYTES: Readonly<Record<Door['kind'], number>> = {
  route: 380_000,
  subscription: 334_000,
  publisher: 263_000,
  trigger: 298_000,
};

/** What is heavy, by a part of the paths of its files: how much it may add, and what it is there for. */
const parts: Readonly<Record<string, { readonly bytes: number; readonly why: string }>> = {
  'shared/catalog/': { bytes: 38_000, why: 'lists are answered from memory' },
  '@aws-sdk/client-ses/': { bytes: 29_000, why: 'it sends mail' },
  '@aws-sdk/client-eventbridge/': { bytes: 17_000, why: 'it puts events on the bus, or asks for it' },
  '@aws-sdk/client-ssm/': { bytes: 37_000, why: 'it has a secret' },
  '@aws-sdk/client-bedrock-runtime/': { bytes: 85_000, why: 'it asks a model' },
  'stripe/esm/': { bytes: 130_000, why: 'it speaks to the payment provider' },
  'transliteration/': { bytes: 192_000, why: 'it makes slugs of names in any script' },
  'csv-': { bytes: 33_000, why: 'it reads or writes CSV' },
  '@fastify/busboy/': { bytes: 50_000, why: 'it takes an upload' },
  'bowser/': { bytes: 36_000, why: 'it counts visitors by their browsers' },
  'docs/openapi.json': { bytes: 228_000, why: 'it hands the document out' },
};

/** Where the heaviest part of all is found. */
const NAMING = ['projects.submit', 'projects.importCsv', 'categories.create', 'payments.startCheckout'];

let bundles: Bundles;
beforeAll(async () => {
  bundles = await freshBundles();
}, 60_000);

const outputOf = (door: Door) => {
  const output = bundles.outputs[`dist/functions/${door.path}/index.mjs`];
  if (!output) throw new Error(`${door.id} is not bundled.`);
  return output;
};
const holds = (door: Door, part: string): boolean =>
  Object.entries(outputOf(door).inputs).some(([file, { bytesInOutput }]) => file.includes(part) && bytesInOutput > 0);

describe.each([...doors])('the weight of $id', (door) => {
  it('is that of what it does', () => {
    const held = Object.entries(parts).filter(([part]) => holds(door, part));
    const budget = held.reduce((sum, [, { bytes }]) => sum + bytes, BASE_BYTES[door.kind]);
    expect(outputOf(door).bytes).toBeLessThanOrEqual(budget);
  });

  it('has nothing in it that no function uses', () => {
    const unused = ['@aws-sdk/credential-provider', '@smithy/credential-provider-imds/', 'aws-xray-sdk'];
    // The client for models can be signed in to in other ways and can stream; it prepares for both when it is made.
    const ofModels = ['@aws-sdk/nested-clients/', 'dist-es/submodules/event-streams/'];
    const left = door.needs.includes('model') ? unused : [...unused, ...ofModels];
    expect(left.filter((part) => holds(door, part))).toEqual([]);
  });
});

describe('heavy parts', () => {
  it('are found where they are used', () => {
    const holders = (part: string) => doors.filter((door) => holds(door, part)).map(({ id }) => id);
    expect(holders('transliteration/').filter((id) => !NAMING.includes(id))).toEqual([]);
    expect(holders('docs/openapi.json')).toEqual(['reference.readOpenapi']);
    expect(holders('@aws-sdk/client-bedrock-runtime/')).toEqual(['ai.generate']);
    expect(holders('csv-').every((id) => /^projects\.(?:exportCsv|importCsv)$/.test(id))).toBe(true);
    for (const part of Object.keys(parts)) expect([part, holders(part).length > 0]).toEqual([part, true]);
  });
});
