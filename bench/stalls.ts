import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Import, ImportUpload } from '#contract/imports.ts';
import { importListings, open, type Service, send, startService } from './service.ts';

const HELP = `Measures how long lists take while the service does other work on this machine.

  node bench/stalls.ts [--listings 20000] [--rows 11822] [--rest 30]

Sends ten distinct lists a second, whether or not the earlier ones have been answered, while the service imports a file of so many
rows, rests for so many seconds, changes 100 listings at a time, merges a category, exports all listings and previews a file.
Prints the median, the 99th percentile and the longest time per phase in milliseconds. The goal: 15 and 100 in every phase, and 500
imported rows a second. The data is temporary.
`;

const { values } = parseArgs({
  options: {
    listings: { type: 'string', default: '20000' },
    rows: { type: 'string', default: '11822' },
    rest: { type: 'string', default: '30' },
    help: { type: 'boolean' },
  },
});

if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const LISTS_PER_SECOND = 10;
/** Twice as often as the console reads what is running. */
const PROGRESS_MS = 1000;
const SORTS = ['newest', 'oldest', 'upvotes', 'rating', 'views', 'name', 'trending'];
const WORDS = ['haus', 'kronach', 'dublin', 'osaka', 'brew', 'lyon', 'mol', 'leeds'];

/** A list that no earlier request has asked for. */
const listOf = (count: number): string => {
  const sort = SORTS[count % SORTS.length];
  const page = 1 + (Math.floor(count / SORTS.length) % 100);
  const limit = 20 + (Math.floor(count / 700) % 40);
  const search = count % 3 === 0 ? `&q=${WORDS[count % WORDS.length]}%20${count % 97}` : '';
  return `/api/projects?sort=${sort}&page=${search ? 1 : page}&limit=${limit}${search}`;
};

let sent = 0;

const timeOfList = async ({ port }: Service): Promise<number> => {
  const path = listOf(sent);
  sent += 1;
  const from = performance.now();
  const { status } = await send(port, { path });
  if (status !== 200) throw new Error(`${path} answered ${status}.`);
  return performance.now() - from;
};

const quantile = (sorted: readonly number[], part: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1).padStart(9);

/** Runs work while lists are requested, and prints their times. */
const phase = async <T>(service: Service, name: string, work: () => Promise<T>): Promise<T> => {
  const lists: Promise<number>[] = [];
  const timer = setInterval(() => lists.push(timeOfList(service)), 1000 / LISTS_PER_SECOND);
  const from = performance.now();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    const seconds = (performance.now() - from) / 1000;
    const sorted = (await Promise.all(lists)).toSorted((a, b) => a - b);
    const figures = [quantile(sorted, 0.5), quantile(sorted, 0.99), quantile(sorted, 1)];
    console.log(`${name.padEnd(28)}${seconds.toFixed(1).padStart(7)} s ${figures.join('')}`);
  }
};

const dataOf = <T>(text: string): T => (JSON.parse(text) as { data: T }).data;

const admin = async <T>(service: Service, method: string, path: string, body?: unknown): Promise<T> => {
  const { status, text } = await send(service.port, {
    method,
    path: `/api/admin${path}`,
    token: service.adminToken,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 300)}`);
  return dataOf<T>(text);
};

const fileOf = (rows: number): Buffer =>
  Buffer.from(
    [
      'Title,Website,Summary,Category,City',
      ...Array.from(
        { length: rows },
        (_, n) =>
          `Place ${n},https://place-${n}.example.com,A place where something is made and sold to those who come by on ${n}.,${n % 3 === 0 ? 'Bars' : 'Food'},Zürich`,
      ),
    ].join('\n'),
  );

const columns = { Title: 'name', Website: 'url', Summary: 'description', Category: 'categories', City: 'address_city' };

const upload = async (service: Service, file: Buffer): Promise<string> => {
  const created = await admin<ImportUpload>(service, 'POST', '/imports', { filename: 'bench.csv', bytes: file.length });
  const { url, method, headers } = created.upload;
  const uploaded = await fetch(url, { method, headers, body: new Uint8Array(file) });
  if (!uploaded.ok) throw new Error(`The upload answered ${uploaded.status}: ${await uploaded.text()}`);
  return created.id;
};

const importFile = async (service: Service, id: string): Promise<void> => {
  await admin(service, 'POST', `/imports/${id}/start`, { mapping: { columns, create_categories: true } });
  for (;;) {
    await wait(PROGRESS_MS);
    const { state, rows_done } = await admin<Import>(service, 'GET', `/imports/${id}`);
    if (['waiting', 'checking', 'running'].includes(state)) continue;
    if (state !== 'done') throw new Error(`The import ended as ${state} after ${rows_done} rows.`);
    return;
  }
};

const rows = Number(values.rows);
const file = fileOf(rows);
const service = await startService();
try {
  await importListings(service, Number(values.listings));
  await wait(5000);
  for (let count = 0; count < 100; count += 1) await timeOfList(service);
  console.log(
    `${'phase'.padEnd(28)}${'took'.padStart(9)} ${['p50', 'p99', 'longest'].map((one) => one.padStart(9)).join('')}`,
  );
  await phase(service, 'nothing else', () => wait(10_000));
  const id = await upload(service, file);
  await phase(service, 'preview', () => admin(service, 'GET', `/imports/${id}/preview`));
  const from = performance.now();
  await phase(service, `import of ${rows} rows`, () => importFile(service, id));
  const perSecond = rows / ((performance.now() - from) / 1000);
  await phase(service, 'after the import', () => wait(Number(values.rest) * 1000));
  const listed = await admin<readonly { id: string }[]>(service, 'GET', '/projects?limit=100&sort=oldest');
  const ids = listed.map((one) => one.id);
  await phase(service, 'bulk of 100, ten times', async () => {
    for (let count = 0; count < 10; count += 1) {
      await admin(service, 'POST', '/projects/bulk', {
        action: count % 2 === 0 ? 'reject' : 'approve',
        ids,
        ...(count % 2 === 0 && { reason: 'Off topic' }),
      });
    }
  });
  const { text } = await send(service.port, { path: '/api/categories' });
  const categories = dataOf<readonly { id: string; slug: string; project_count: number }[]>(text);
  const [source, target] = categories.toSorted((one, other) => other.project_count - one.project_count);
  if (!source || !target) throw new Error('There are no categories to merge.');
  await phase(service, `merge of ${source.project_count} listings`, async () => {
    const path = `/categories/${source.id}/merge`;
    const { batch_id } = await admin<{ batch_id: string }>(service, 'POST', path, { into: target.id });
    while ((await admin<{ state: string }>(service, 'GET', `/batches/${batch_id}`)).state === 'running')
      await wait(PROGRESS_MS);
  });
  await phase(service, 'export', async () => {
    const response = await open(service.port, { path: '/api/admin/projects/export', token: service.adminToken });
    for await (const _ of response);
  });
  await phase(service, 'after everything', () => wait(10_000));
  console.log(`${perSecond.toFixed(0)} imported rows a second`);
} finally {
  await service.stop();
}
