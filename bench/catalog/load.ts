import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { parseArgs, promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { DescribeTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { fold } from '#catalog/folded-text.ts';
import { searchTexts } from '#catalog/text-index.ts';
import { seedMarkKey, tableShape } from '#data/keys.ts';
import type { Item } from '#data/read.ts';
import { engineBinary, startEngine } from '#local/engine.ts';
import { defaultSettings, embeddedEngine, setVariables } from '#local/environment.ts';
import { ensureTable } from '#local/table.ts';
import { type Fields, noFields } from '#model/field.ts';
import { trendingScore } from '#model/scores.ts';
import { publicView } from '#services/projects/read.ts';
import { type GeneratedListing, itemsOfCategory, itemsOfListing, listingsOf } from './directory-items.ts';
import { generatedFields, itemsOfFields } from './fields.ts';
import { Directory } from './listings.ts';

const HELP = `Generates a directory as a data folder of the service, and as a file for its peers.

  node bench/catalog/load.ts --folder <folder> [--listings 50000] [--seed 1] [--fields]

Writes to the folder
  service/         a data folder (DATA_DIR) with the items that the service itself writes
  listings.ndjson  a line of JSON per listing: its public form, sort values and search text

With --fields, ten fields are defined, and listings have values of them.`;

const TABLE = 'directory';

/** Separates the fields of a text; PostgreSQL cannot store the catalog's NUL. */
const SEPARATOR = '\u0001';

const run = promisify(execFile);

const write = async (to: Writable, text: string): Promise<void> => {
  if (!to.write(text)) await once(to, 'drain');
};

const lineForPeers = ({ project, counts, spheres }: GeneratedListing, fields: Fields): string =>
  `${JSON.stringify({
    view: publicView({ project, counts, spheres, fields }),
    name: fold(project.name),
    hot: trendingScore(project, counts),
    search: searchTexts.public(project).replaceAll('\0', SEPARATOR),
  })}\n`;

const exportLine = (item: Item): string =>
  `${JSON.stringify({ Item: marshall(item, { removeUndefinedValues: true }) })}\n`;

/** Runs `work` with an engine on a database file. */
const withEngine = async <T>(
  folder: string,
  file: string,
  work: (client: DynamoDBClient) => Promise<T>,
): Promise<T> => {
  const engine = await startEngine(join(folder, file), join(folder, 'engine.json'));
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint: engine.endpoint, region: 'us-east-1', credentials });
  try {
    return await work(client);
  } finally {
    client.destroy();
    await engine.stop();
  }
};

interface Variant {
  readonly seed: number;
  readonly hasFields: boolean;
}

/** Writes the directory as a table export, which the engine imports many times faster than single writes. */
const writeExport = async (
  folder: string,
  peersFile: string,
  size: number,
  { seed, hasFields }: Variant,
): Promise<void> => {
  const data = join(folder, TABLE, 'data');
  mkdirSync(data, { recursive: true });
  const packed = createGzip({ level: 1 });
  const items = packed.pipe(createWriteStream(join(data, 'items.json.gz')));
  const peers = createWriteStream(peersFile, { highWaterMark: 1 << 20 });
  const directory = new Directory(seed, hasFields);
  await write(packed, exportLine({ ...seedMarkKey, type: 'mark', at: '2023-01-01T00:00:00.000Z' }));
  if (hasFields) await write(packed, itemsOfFields().map(exportLine).join(''));
  for (const category of directory.categories())
    await write(packed, itemsOfCategory(category).map(exportLine).join(''));
  for (const listing of listingsOf(directory, size)) {
    await write(packed, itemsOfListing(listing).map(exportLine).join(''));
    await write(peers, lineForPeers(listing, hasFields ? generatedFields : noFields));
  }
  packed.end();
  peers.end();
  await Promise.all([finished(items), finished(peers)]);
};

const load = async (folder: string, size: number, variant: Variant): Promise<void> => {
  const service = join(folder, 'service');
  const exported = join(folder, 'export');
  mkdirSync(service, { recursive: true, mode: 0o700 });
  mkdirSync(exported, { recursive: true });
  const shape = await withEngine(folder, 'shape.sqlite', async (client) => {
    await ensureTable(client, TABLE);
    return await client.send(new DescribeTableCommand({ TableName: TABLE }));
  });
  const schema = join(folder, 'schema.json');
  await writeFile(schema, JSON.stringify([{ Table: shape.Table }]));
  await writeExport(exported, join(folder, 'listings.ndjson'), size, variant);
  const table = join(service, 'table.sqlite');
  await run(engineBinary(), ['import', '--source', exported, '--schema', schema, '--output', table]);
  // Exports do not include the TTL attribute.
  await withEngine(service, 'table.sqlite', (client) =>
    client.send(
      new UpdateTimeToLiveCommand({
        TableName: TABLE,
        TimeToLiveSpecification: { AttributeName: tableShape.ttl, Enabled: true },
      }),
    ),
  );
  for (const left of ['export', 'schema.json', 'shape.sqlite']) {
    await rm(join(folder, left), { recursive: true, force: true });
  }
};

// What a listing shows depends on the features that are on.
setVariables({
  ...embeddedEngine('http://127.0.0.1:0'),
  ...defaultSettings({ port: 0, awsEndpoint: 'http://127.0.0.1:0' }),
});

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    folder: { type: 'string' },
    listings: { type: 'string', default: '50000' },
    seed: { type: 'string', default: '1' },
    fields: { type: 'boolean', default: false },
  },
});

if (options.help || options.folder === undefined) {
  console.log(HELP);
} else {
  const from = performance.now();
  await load(options.folder, Number(options.listings), { seed: Number(options.seed), hasFields: options.fields });
  console.log(`${options.listings} listings generated in ${((performance.now() - from) / 1000).toFixed(1)} s`);
}
