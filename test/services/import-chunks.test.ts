import { expect, it } from 'vitest';
import { ChunkSize } from '#services/imports/import-rows.ts';

it('chunks of an import become smaller where the table is slow, and larger where it is fast', () => {
  const size = new ChunkSize(750);
  const after = (ms: number): number => {
    size.note(size.rows, ms);
    return size.rows;
  };
  expect(size.rows).toBe(200);
  expect([after(10_000), after(10_000), after(60_000)]).toEqual([100, 50, 50]);
  expect([after(250), after(0), after(0), after(0), after(0)]).toEqual([100, 200, 400, 750, 750]);
  expect(after(600)).toBe(625);
  expect(new ChunkSize(5).rows).toBe(5);
});
