import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startLocalServer } from '#local/server.ts';

const HELP = `Measures the CSV import and export over HTTP on this machine, with the embedded engine and the table's stream.

  node bench/import.ts [--rows 10000] [--timeout-factor 1] [--file some.csv --mapping '{"columns": …}']

Prints per request: seconds, rows per second, their ratio to the first import, the CPU seconds of this process, which contains
both service and client, and of the engine, and the maximum memory of this process. The CPU seconds say how fast requests would
be on a machine that is not busy, on which service and engine run side by side; on a busy one, --timeout-factor 10 lets them end.
The data is temporary.
`;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000' },
    'timeout-factor': { type: 'string', default: '1' },
    file: { type: 'string' },
    mapping: { type: 'string' },
    help: { type: 'boolean' },
  },
});

if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const kinds = ['micro', 'brewpub', 'regional', 'nano', 'large', 'contract', 'planning', 'bar'];
const places = ['Kronach', 'Mol', 'Zürich', 'Portland', 'Austin', 'Dublin', 'Lyon', 'Kraków', 'Osaka', 'Leeds'];

const generateCsv = (count: number): string => {
  const rows = Array.from({ length: count }, (_, n) => {
    const place = places[n % places.length] as string;
    // One name in ten occurs twice, as in real files.
    const name = `${place} Bräu House ${n % Math.ceil(count * 0.9)}`;
    const description = `"A place in ${place} where beer is made, with a room to drink it in, and ""more""."`;
    return `${name},https://brew-${n}.example.com,${description},${kinds[(n * 7) % 8]},${place},${(n % 160) - 80}.5,${(n % 340) - 170}.25`;
  });
  return ['name,url,description,type,city,latitude,longitude', ...rows].join('\n');
};

const mapping = values.mapping
  ? (JSON.parse(values.mapping) as Record<string, unknown>)
  : {
      columns: {
        name: 'name',
        url: 'url',
        description: 'description',
        type: 'categories',
        city: 'address_city',
        latitude: 'latitude',
        longitude: 'longitude',
      },
      create_categories: true,
    };

const csv = values.file ? await readFile(values.file, 'utf8') : generateCsv(Number(values.rows));
const folder = await mkdtemp(path.join(tmpdir(), 'bench-import-'));
const server = await startLocalServer({
  port: 0,
  dataDir: folder,
  timeoutFactor: Number(values['timeout-factor']),
  env: { LOG_LEVEL: 'ERROR', RATE_LIMIT_ADMIN: '1000000/60' },
});

const api = `http://127.0.0.1:${server.port}`;
const admin = await fetch(`${api}/_local/token`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ email: 'bench@example.com', admin: true }),
});
const headers = { authorization: `Bearer ${((await admin.json()) as { access_token: string }).access_token}` };

interface Report {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
}

const importWith = async (more: Record<string, unknown>): Promise<Report> => {
  const form = new FormData();
  form.set('file', new Blob([csv], { type: 'text/csv' }), 'bench.csv');
  form.set('mapping', JSON.stringify({ ...mapping, ...more }));
  const response = await fetch(`${api}/api/admin/projects/import`, { method: 'POST', headers, body: form });
  const body = await response.text();
  if (!response.ok) throw new Error(`The import answered ${response.status}: ${body.slice(0, 300)}`);
  return (JSON.parse(body) as { data: Report }).data;
};

const exportAll = async (): Promise<Report> => {
  const response = await fetch(`${api}/api/admin/projects/export`, { headers });
  let lines = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>)
    for (const byte of chunk) if (byte === 10) lines += 1;
  return { rows: lines - 1, created: 0, updated: 0, skipped: 0, failed: 0 };
};

const enginePid = (JSON.parse(await readFile(path.join(folder, 'engine.json'), 'utf8')) as { pid: number }).pid;

/** The CPU seconds that the engine has used, where the system says so. */
const engineSeconds = (): number => {
  try {
    const fields = readFileSync(`/proc/${enginePid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    // User and system time, in hundredths of a second.
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
};

/** The CPU seconds that this process has used. */
const ownSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

let reference = 0;
const measure = async (name: string, work: () => Promise<Report>): Promise<void> => {
  let largest = 0;
  const sample = () => {
    largest = Math.max(largest, process.memoryUsage().rss);
  };
  const sampler = setInterval(sample, 10);
  const [from, own, engine] = [performance.now(), ownSeconds(), engineSeconds()];
  const { rows, created, updated, skipped, failed } = await work();
  const seconds = (performance.now() - from) / 1000;
  clearInterval(sampler);
  sample();
  const perSecond = rows / seconds;
  reference ||= perSecond;
  const cells = [
    seconds.toFixed(2),
    perSecond.toFixed(0),
    (perSecond / reference).toFixed(2),
    (ownSeconds() - own).toFixed(2),
    (engineSeconds() - engine).toFixed(2),
    (largest / 2 ** 20).toFixed(0),
  ];
  const outcome = [created, updated, skipped, failed].join(' / ');
  console.log(`${name.padEnd(30)}${cells.map((cell) => cell.padStart(10)).join('')}   ${outcome}`);
};

try {
  const title = ['seconds', 'rows/s', 'ratio', 'CPU s', 'engine', 'MB'].map((cell) => cell.padStart(10)).join('');
  console.log(
    `${(csv.length / 1e6).toFixed(1)} MB of CSV\n\n${'request'.padEnd(30)}${title}   created / updated / skipped / failed`,
  );
  await measure('import', () => importWith({}));
  await measure('dry run, by url', () => importWith({ dry_run: true, match_by: 'url' }));
  await measure('import again, skip by url', () => importWith({ match_by: 'url' }));
  await measure('update, nothing differs', () => importWith({ match_by: 'url', on_conflict: 'update' }));
  const renewed = {
    match_by: 'url',
    on_conflict: 'update',
    defaults: { ...(mapping.defaults as object), tags: ['renewed'] },
  };
  await measure('update, every row differs', () => importWith(renewed));
  await measure('export', exportAll);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
