import type * as z from 'zod';

const used = new WeakSet<z.ZodType>();

/**
 * The options for the next parse with a schema. zod compiles the schemas of objects when they parse their first value, which takes
 * several milliseconds: a function that starts interprets a schema at its first use and compiles it at the second one.
 */
export const parseOptions = (schema: z.ZodType): { readonly jitless?: true } => {
  if (used.has(schema)) return {};
  used.add(schema);
  return { jitless: true };
};

/** Parses a value with `parseOptions`. @throws what the schema's own `parse` throws. */
export const parse = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> =>
  schema.parse(value, parseOptions(schema));
