import { expect, it } from 'vitest';
import { packedName, packTexts, unpackTexts } from '#catalog/packed-texts.ts';
import { Row, StringPool } from '#catalog/rows.ts';
import { noCounts, type ProjectRecord } from '#model/project.ts';
import { longTest } from '#test/support/long-test.ts';
import { project } from './fixtures.ts';
import { Random } from './random.ts';

const strange = [
  '',
  ' ',
  'plain',
  'Żółć 東京 😀',
  '\x1c',
  '\x1d',
  '\x1e',
  '\x1f',
  'a\x1fb',
  '\0',
  '\ud800',
  'x'.repeat(3000),
];

const held = (record: ProjectRecord): ProjectRecord => Row.of(record, noCounts, new StringPool()).unpacked();

longTest('records are unpacked unchanged, whatever characters they contain', () => {
  const random = new Random(1);
  const orNull = () => (random.chance(0.3) ? null : random.pick(strange));
  for (let created = 0; created < 3000; created += 1) {
    const record = project({
      id: random.pick(strange),
      slug: random.pick(strange),
      name: random.pick(strange),
      url: random.pick(strange),
      description: random.pick(strange),
      long_description: orNull(),
      logo_url: orNull(),
      video_url: orNull(),
      screenshots: random.some(strange, 3),
      earlier_slugs: random.some(strange, 2),
      categories: random.some(strange, 2),
      tags: random.some(strange, 3),
      address_city: orNull(),
      rejection_reason: orNull(),
      paid_at: orNull(),
      publish_at: orNull(),
      approved_at: orNull(),
      published_at: orNull(),
      deleted_at: orNull(),
      latitude: random.chance(0.5) ? null : random.next() * 180 - 90,
      plan: random.pick(['standard', 'premium']),
    });
    expect(held(record)).toStrictEqual(record);
    expect(packedName(packTexts(record))).toBe(record.name);
  }
});

it('a list with one empty string stays distinct from an empty list', () => {
  expect(unpackTexts(packTexts(project({ id: 'prj_1', screenshots: [''] }))).screenshots).toEqual(['']);
});

longTest('a record is cached until many others were read', () => {
  const strings = new StringPool();
  const rows = Array.from({ length: 20_000 }, (_, n) => Row.of(project({ id: `prj_${n}` }), noCounts, strings));
  const [first] = rows as [Row];
  const kept = first.project;
  expect(first.project).toBe(kept);
  for (const row of rows) expect(row.project.id).toBe(row.id);
  expect(first.project).not.toBe(kept);
  expect(first.project).toStrictEqual(kept);
});
