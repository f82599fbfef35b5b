import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MODULE = fileURLToPath(new URL('../../local/v8-flags.ts', import.meta.url));

/** Makes 160 MB of garbage, waits until the process has released a quarter of it, and prints its sizes in MB. */
const SCRIPT = `
  import { setTimeout as wait } from 'node:timers/promises';
  import { releaseMemoryWhenIdle } from ${JSON.stringify(MODULE)};
  const megabytes = () => process.memoryUsage.rss() / 1024 / 1024;
  const task = releaseMemoryWhenIdle(100);
  let numbers = Array.from({ length: 200 }, () => Array.from({ length: 100_000 }, (_, at) => at + 0.5));
  const grown = megabytes();
  numbers = undefined;
  for (let tries = 0; tries < 40 && megabytes() > grown - 50; tries += 1) await wait(100);
  const idle = megabytes();
  await task.stop();
  console.log(JSON.stringify({ grown, idle }));
`;

it('an idle process releases memory that it no longer uses', async () => {
  const options = ['--expose-gc', '--input-type=module', '--eval', SCRIPT];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  const { grown, idle } = JSON.parse(stdout) as { grown: number; idle: number };
  expect(grown).toBeGreaterThan(150);
  expect(idle).toBeLessThan(grown - 50);
});
