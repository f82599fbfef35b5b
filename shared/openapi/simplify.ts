type Schema = Record<string, unknown>;

const ORDER = ['$ref', 'description', 'type', 'format', 'enum', 'const', 'default', 'examples'];
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const schemasIn = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

/** Alternatives within alternatives, as one list; their common words move up. */
const flattened = (schema: Schema): Schema => {
  if (!Array.isArray(schema.anyOf)) return schema;
  let { description } = schema;
  const anyOf = schemasIn(schema.anyOf).flatMap((one) => {
    if (!Array.isArray(one.anyOf) || Object.keys(one).some((key) => key !== 'anyOf' && key !== 'description'))
      return [one];
    description ??= one.description;
    return schemasIn(one.anyOf);
  });
  return { ...schema, ...(description !== undefined && { description }), anyOf };
};

/** A string that may be blank needs no alternative that says so, and `null` is one more type. */
const joined = (schema: Schema): Schema => {
  if (!Array.isArray(schema.anyOf)) return schema;
  const takesBlank = (one: Schema) =>
    [one.type].flat().includes('string') &&
    !['minLength', 'pattern', 'format', 'enum', 'const'].some((key) => key in one);
  let alternatives = schemasIn(schema.anyOf);
  if (alternatives.some(takesBlank)) alternatives = alternatives.filter((one) => one.const !== '');
  const [first, second] = alternatives;
  const { anyOf: _, ...rest } = schema;
  if (alternatives.length === 1) return { ...first, ...rest };
  const isNullable =
    alternatives.length === 2 &&
    typeof first?.type === 'string' &&
    second?.type === 'null' &&
    !('enum' in first) &&
    !('const' in first);
  if (isNullable) return { ...first, ...rest, type: [first.type, 'null'] };
  const words = alternatives.flatMap(({ description }) => description ?? []);
  if (words.length !== 1 || rest.description !== undefined) return { ...rest, anyOf: alternatives };
  return { description: words[0], ...rest, anyOf: alternatives.map(({ description: __, ...one }) => one) };
};

/** What goes without saying: closed objects, the range of exact integers, patterns that a format stands for. */
const isNoise = (key: string, value: unknown, schema: Readonly<Schema>): boolean => {
  if (key === 'additionalProperties') return value === false || (isSchema(value) && Object.keys(value).length === 0);
  if (key === 'maximum' || key === 'minimum') return Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER;
  if (key === 'propertyNames') return isSchema(value) && Object.keys(value).join() === 'type';
  return key === 'pattern' && schema.format === 'date-time';
};

/**
 * A JSON Schema as a reader wants it: without what goes without saying, its keywords in one order. Objects are left open,
 * because an answer may gain members and the service ignores those it does not know.
 */
export const simplified = (given: Readonly<Schema>): Schema => {
  const within = Object.entries(given).flatMap(([key, value]): [string, unknown][] => {
    if (isNoise(key, value, given)) return [];
    if (key === 'properties' && isSchema(value)) {
      const properties = Object.entries(value).map(([name, one]) => [name, isSchema(one) ? simplified(one) : one]);
      return [[key, Object.fromEntries(properties)]];
    }
    if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(key)) return [[key, schemasIn(value).map(simplified)]];
    if (['items', 'additionalProperties', 'propertyNames'].includes(key) && isSchema(value))
      return [[key, simplified(value)]];
    return [[key, value]];
  });
  const whole = joined(flattened(Object.fromEntries(within)));
  const rank = (key: string) => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);
  return Object.fromEntries(Object.entries(whole).toSorted(([a], [b]) => rank(a) - rank(b)));
};
