import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startLocalServer } from '#local/server.ts';

const HELP = `Measures the revert of an import over HTTP on this machine, with the embedded engine and the table's stream.

  node bench/revert.ts [--rows 2000]

Prints seconds and rows per second of an import, of its revert, of an update of all rows and of the revert of that, with their
ratio to the first import. A revert that outlasts its request is awaited. The data is temporary.
`;

const { values } = parseArgs({ options: { rows: { type: 'string', default: '2000' }, help: { type: 'boolean' } } });

if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const rows = Number(values.rows);
const slugs = Array.from({ length: rows }, (_, n) => `bench-${n}`);
const csvWith = (description: string): string =>
  [
    'slug,name,url,description',
    ...slugs.map((slug) => `${slug},${slug},https://${slug}.example.com,${description}`),
  ].join('\n');
const columns = { slug: 'slug', name: 'name', url: 'url', description: 'description' };

const folder = await mkdtemp(path.join(tmpdir(), 'bench-revert-'));
const server = await startLocalServer({
  port: 0,
  dataDir: folder,
  env: { LOG_LEVEL: 'ERROR', RATE_LIMIT_ADMIN: '1000000/60' },
});

const api = `http://127.0.0.1:${server.port}`;
const admin = await fetch(`${api}/_local/token`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ email: 'bench@example.com', admin: true }),
});
const headers = { authorization: `Bearer ${((await admin.json()) as { access_token: string }).access_token}` };

const send = async <T>(method: string, target: string, body?: FormData): Promise<T> => {
  const response = await fetch(`${api}${target}`, { method, headers, ...(body && { body }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${target} answered ${response.status}: ${text.slice(0, 300)}`);
  return (JSON.parse(text) as { data: T }).data;
};

const importRows = async (description: string): Promise<string> => {
  const form = new FormData();
  form.set('file', new Blob([csvWith(description)], { type: 'text/csv' }), 'bench.csv');
  form.set('mapping', JSON.stringify({ columns, on_conflict: 'update' }));
  return (await send<{ batch_id: string }>('POST', '/api/admin/projects/import', form)).batch_id;
};

const revert = async (batchId: string): Promise<void> => {
  const { batch_id: revertId } = await send<{ batch_id: string }>('POST', `/api/admin/batches/${batchId}/revert`);
  while ((await send<{ state: string }>('GET', `/api/admin/batches/${revertId}`)).state === 'running') await wait(100);
};

let reference = 0;
const measure = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const from = performance.now();
  const result = await work();
  const seconds = (performance.now() - from) / 1000;
  const perSecond = rows / seconds;
  reference ||= perSecond;
  const cells = [seconds.toFixed(2), perSecond.toFixed(0), (perSecond / reference).toFixed(2)];
  console.log(`${name.padEnd(30)}${cells.map((cell) => cell.padStart(10)).join('')}`);
  return result;
};

try {
  console.log(`${'request'.padEnd(30)}${['seconds', 'rows/s', 'ratio'].map((cell) => cell.padStart(10)).join('')}`);
  const kept = await measure('import', () => importRows('First.'));
  const changed = await measure('update, every row differs', () => importRows('Second.'));
  await measure('revert of the update', () => revert(changed));
  await measure('revert of the import', () => revert(kept));
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
