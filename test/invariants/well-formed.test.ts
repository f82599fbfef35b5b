import { expect, it } from 'vitest';
import * as z from 'zod';
import { routes } from '#contract/table.ts';

/** Bodies reject lone surrogates in strings: JSON can contain them, DynamoDB rejects them in keys and values. */

type Field = readonly [path: string, schema: z.ZodString];

const fieldsOf = (schema: z.core.$ZodType | undefined, path: string): Field[] => {
  if (schema instanceof z.ZodString) return [[path, schema]];
  if (schema instanceof z.ZodArray) return fieldsOf(schema.element, `${path}[]`);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => fieldsOf(option, path));
  if (schema instanceof z.ZodPipe) return fieldsOf(schema.in, path);
  if (schema instanceof z.ZodRecord)
    return [...fieldsOf(schema.keyType, `${path}{}`), ...fieldsOf(schema.valueType, `${path}{}`)];
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, field]) => fieldsOf(field, `${path}.${name}`));
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return fieldsOf(schema.unwrap(), path);
  return [];
};

const fields = routes.flatMap((route) => fieldsOf(route.body, route.id));

it('the search finds fields, list entries and fields of list entries', () => {
  const paths = fields.map(([path]) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['projects.submit.name', 'projects.submit.categories[]', 'categories.reorder[].id']),
  );
});

it.each(fields)('%s rejects or replaces a lone surrogate', (_, schema) => {
  const result = schema.safeParse('\ud800');
  expect(result.success && !result.data.isWellFormed()).toBe(false);
});
