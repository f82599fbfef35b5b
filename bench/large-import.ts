import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Import, ImportUpload } from '#contract/imports.ts';
import { startLocalServer } from '#local/server.ts';

const HELP = `Measures a large import over HTTP on this machine, with the embedded engine and the table's stream.

  node bench/large-import.ts [--rows 200000] [--megabytes 100] [--cancel 20000] [--dry-run]

Prints rows per second, and the memory (PSS, Linux only) of the service and of the engine above their idle memory; the service's
process is also the client. With --cancel, the import is cancelled after so many rows, and the time is printed until its batch
has ended. The data is temporary.
`;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '200000' },
    megabytes: { type: 'string', default: '100' },
    cancel: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
});

if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const rows = Number(values.rows);
const bytes = Number(values.megabytes) * 1_000_000;
const MB = 1_000_000;

/** The proportional set size of a process, in MB. */
const pssOf = (pid: number | string): number =>
  (Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) * 1024) / MB;

const children = (): readonly string[] =>
  readdirSync(`/proc/${process.pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${process.pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );

const HEADER = 'Title,Website,Summary,Category,City\n';

/** The file, generated while it is sent: it must not count as memory of the service. */
function* fileParts(): Generator<Buffer> {
  const perRow = Math.floor((bytes - HEADER.length) / rows);
  yield Buffer.from(HEADER);
  for (let start = 0; start < rows; start += 1000) {
    let text = '';
    for (let n = start; n < Math.min(rows, start + 1000); n += 1) {
      const row = `Place ${n},https://place-${n}.example.com,,${n % 7 === 0 ? 'Bars' : 'Food'},Zürich\n`;
      const filler = 'A place where something is made. '
        .repeat(40)
        .slice(0, Math.min(499, Math.max(10, perRow - row.length - 1)))
        .trim();
      text += row.replace(',,', `,${filler},`);
    }
    yield Buffer.from(text);
  }
}

let size = 0;
for (const part of fileParts()) size += part.length;

const folder = await mkdtemp(path.join(tmpdir(), 'bench-large-import-'));
const server = await startLocalServer({
  port: 0,
  dataDir: folder,
  env: { LOG_LEVEL: 'ERROR', RATE_LIMIT_ADMIN: '1000000/60' },
});
const api = `http://localhost:${server.port}`;

const send = async <T>(method: string, target: string, body?: unknown, token?: string): Promise<T> => {
  const response = await fetch(`${api}${target}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${target} answered ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
};

try {
  const { access_token: token } = await send<{ access_token: string }>('POST', '/_local/token', {
    email: 'bench@example.com',
    admin: true,
  });
  const admin = async <T>(method: string, target: string, body?: unknown): Promise<T> =>
    (await send<{ data: T }>(method, `/api/admin${target}`, body, token)).data;
  const { id, upload } = await admin<ImportUpload>('POST', '/imports', { filename: 'bench.csv', bytes: size });
  const uploadFrom = performance.now();
  const uploaded = await fetch(upload.url, {
    method: upload.method,
    headers: upload.headers,
    body: ReadableStream.from(fileParts()),
    duplex: 'half',
  });
  if (!uploaded.ok) throw new Error(`The upload answered ${uploaded.status}: ${await uploaded.text()}`);
  console.log(
    `${rows} rows, ${(size / MB).toFixed(1)} MB, uploaded in ${((performance.now() - uploadFrom) / 1000).toFixed(1)} s`,
  );

  const columns = {
    Title: 'name',
    Website: 'url',
    Summary: 'description',
    Category: 'categories',
    City: 'address_city',
  };
  await admin('GET', `/imports/${id}/preview`);
  await wait(3000);
  const [engine = ''] = children();
  const idle = { service: pssOf(process.pid), engine: pssOf(engine) };
  const most = { ...idle };
  const from = performance.now();
  const query = values['dry-run'] ? '?dry_run=true' : '';
  await admin('POST', `/imports/${id}/start${query}`, { mapping: { columns, create_categories: true } });
  let running: number | undefined;
  let cancelledAt: number | undefined;
  let printed = 0;
  for (;;) {
    await wait(200);
    const state = await admin<Import>('GET', `/imports/${id}`);
    most.service = Math.max(most.service, pssOf(process.pid));
    most.engine = Math.max(most.engine, pssOf(engine));
    if (state.state === 'running') running ??= performance.now();
    if (state.rows_done >= printed + rows / 10) {
      printed = state.rows_done;
      const seconds = (performance.now() - from) / 1000;
      console.log(`${seconds.toFixed(0).padStart(5)} s ${printed} rows, PSS ${most.service.toFixed(0)} MB`);
    }
    if (values.cancel && cancelledAt === undefined && state.rows_done >= Number(values.cancel)) {
      cancelledAt = performance.now();
      await admin('POST', `/imports/${id}/cancel`);
    }
    if (['waiting', 'checking', 'running'].includes(state.state)) continue;
    // Reading a batch that is running counts its items, so it is read at the end only.
    if (
      state.batch_id !== null &&
      (await admin<{ state: string }>('GET', `/batches/${state.batch_id}`)).state === 'running'
    )
      continue;
    const now = performance.now();
    if (cancelledAt !== undefined) console.log(`batch cancelled after ${((now - cancelledAt) / 1000).toFixed(2)} s`);
    const done = state.rows_done || state.dry_run?.counts.created || 0;
    console.log(
      `${state.state}: ${done} rows, ${(done / ((now - from) / 1000)).toFixed(0)} rows/s, of which checking ${(((running ?? now) - from) / 1000).toFixed(1)} s`,
    );
    break;
  }
  for (const part of ['service', 'engine'] as const) {
    const above = most[part] - idle[part];
    console.log(
      `${part.padEnd(8)} idle ${idle[part].toFixed(0)} MB, most ${most[part].toFixed(0)} MB, above idle ${above.toFixed(0)} MB`,
    );
  }
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
