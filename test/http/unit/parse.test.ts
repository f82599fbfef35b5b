import { expect, it } from 'vitest';
import * as z from 'zod';
import { checked, parseOptions } from '#contract/fields.ts';

it('a schema is interpreted at its first use only', () => {
  const [one, other] = [z.object({ name: z.string() }), z.object({ name: z.string() })];
  expect([parseOptions(one), parseOptions(one), parseOptions(other)]).toEqual([
    { jitless: true },
    {},
    { jitless: true },
  ]);
});

it('a schema parses a value the same way at its first use and later', () => {
  const schema = z.object({
    name: z.string().trim().optional(),
    tags: z.array(z.string()).default([]),
    nested: z.object({ count: z.int().nullable() }).optional(),
  });
  const given = { nested: { count: null, undeclared: 1 }, name: ' a ', undeclared: true };
  const expected = '{"name":"a","tags":[],"nested":{"count":null}}';
  expect(JSON.stringify(checked(schema, given))).toBe(expected);
  expect(JSON.stringify(checked(schema, given))).toBe(expected);
});

it('a schema reports an invalid value the same way at its first use and later', () => {
  const schema = z.object({ name: z.string() });
  const expected = expect.objectContaining({ body: expect.objectContaining({ details: expect.anything() }) });
  expect(() => checked(schema, { name: 1 })).toThrow(expected);
  expect(() => checked(schema, { name: 1 })).toThrow(expected);
});
