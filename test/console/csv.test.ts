import { expect, it } from 'vitest';
import { csvLines, guarded, joinList as joinListOfService } from '#shared/csv/cells.ts';
import { csvOf, joinList } from '../../console/csv.ts';

it('the CSV of the console guards and quotes every cell like the export of the service', () => {
  const starts = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n', "'", ' ', ';', 'a'];
  const cells = starts.flatMap((start) => [
    `${start}1+1`,
    `text;${start}1`,
    `text\t "${start}1`,
    `text,${start}`,
    `${start} `,
    `'${start}`,
  ]);
  for (const cell of cells) expect(csvOf([[cell, 'b']])).toBe(csvLines([[guarded(cell), 'b']]));
  for (const list of [[], ['a'], ['a|b', 'c\\', '\\|']]) expect(joinList(list)).toBe(joinListOfService(list));
  expect(csvOf([[-5, 0.5]])).toBe('-5,0.5\r\n');
});
