import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { startEngine } from '#local/engine.ts';
import { ensureTable } from '#local/table.ts';
import { dynamo } from '#platform/dynamo.ts';

const HELP = `Measures the CPU time of one consistent read of an item with 34 attributes from the embedded engine.

  node bench/read-cpu.ts [--reads 1000] [--rounds 9]

Compares the client of the service with a document client without settings, in alternating rounds. Prints medians per read.
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    reads: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '9' },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const folder = mkdtempSync(path.join(tmpdir(), 'read-cpu-'));
const engine = await startEngine(path.join(folder, 'table.sqlite'), path.join(folder, 'engine.json'));
const TableName = 'directory';
Object.assign(process.env, {
  TABLE_NAME: TableName,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
});

const Key = { pk: 'PROJECT#bench', sk: 'PROJECT' };
const attributes = Array.from({ length: 32 }, (_, index) => [
  `attribute_${index}`,
  index % 4 === 0 ? index : index % 4 === 1 ? [`tag ${index}`, 'other'] : `a text of some length, number ${index}`,
]);

const plain = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const clients = { 'the client of the service': dynamo(), 'without settings': plain };

/** The CPU time of a read, in milliseconds. */
const measure = async (client: DynamoDBDocumentClient, reads: number): Promise<number> => {
  const from = process.cpuUsage();
  for (let count = 0; count < reads; count += 1) {
    await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  }
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000 / reads;
};

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;

try {
  await ensureTable(new DynamoDBClient({}), TableName);
  await plain.send(new PutCommand({ TableName, Item: { ...Key, ...Object.fromEntries(attributes) } }));
  const times: Record<string, number[]> = {};
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const [name, client] of Object.entries(clients)) {
      const time = await measure(client, Number(values.reads));
      // The first round warms up.
      if (round > 0) times[name] = [...(times[name] ?? []), time];
    }
  }
  for (const [name, measured] of Object.entries(times)) {
    console.log(`${name.padEnd(28)}${median(measured).toFixed(2)} ms of CPU per read`);
  }
} finally {
  await engine.stop();
  rmSync(folder, { recursive: true, force: true });
}
