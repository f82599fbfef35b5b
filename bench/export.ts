import { readFileSync } from 'node:fs';
import { importListings, open, send, startService } from './service.ts';

const HELP = `Measures the memory of the CSV export (Linux only).

  node bench/export.ts [--listings 50000]

Prints the memory of the service before the export and its maximum during it, and duration and size of the export. The
service runs in a separate process; the data is temporary.
`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

const at = process.argv.indexOf('--listings');
const listings = at < 0 ? 50_000 : Number(process.argv[at + 1]);

const megabytesOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

const service = await startService();
try {
  const { port, child, adminToken: token } = service;
  const pid = child.pid as number;
  await importListings(service, listings);
  // Loads the catalog before the export, as in a warm function.
  await send(port, { path: '/api/projects' });

  for (const round of [1, 2, 3]) {
    const before = megabytesOf(pid);
    let highest = before;
    let bytes = 0;
    let lines = 0;
    const from = performance.now();
    const response = await open(port, { path: '/api/admin/projects/export', token });
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      for (const byte of chunk as Buffer) if (byte === 10) lines += 1;
      highest = Math.max(highest, megabytesOf(pid));
    }
    const seconds = (performance.now() - from) / 1000;
    console.log(
      `export ${round}: ${lines - 1} listings, ${(bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s; memory ${before.toFixed(0)} MB before, ${highest.toFixed(0)} MB at most, ${(highest - before).toFixed(0)} MB more`,
    );
  }
} finally {
  await service.stop();
}
