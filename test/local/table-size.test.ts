import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { TABLE_BYTES_EXPECTED, watchTableSize } from '#local/table-size.ts';
import { log } from '#platform/log.ts';
import { stopClocks } from '#test/support/virtual-time.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'size-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a table that is larger than documented is logged once, at the start or when it has grown', async () => {
  stopClocks();
  const warn = vi.spyOn(log, 'warn').mockReturnValue();
  const file = path.join(folder, 'table.sqlite');
  writeFileSync(file, '');
  const watch = watchTableSize(file, 10);
  await vi.advanceTimersByTimeAsync(50);
  expect(warn).not.toHaveBeenCalled();
  // A sparse file, which takes no space.
  truncateSync(file, TABLE_BYTES_EXPECTED + 1);
  await vi.advanceTimersByTimeAsync(50);
  await watch.stop();
  expect(warn.mock.calls).toEqual([[expect.stringContaining('disk space'), { file, megabytes: 2048 }]]);
  await watchTableSize(file, 10).stop();
  expect(warn).toHaveBeenCalledTimes(2);
  warn.mockRestore();
});
