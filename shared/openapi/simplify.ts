type Schema = Record<string, unknown>;

/** Marks a text whose length counts after trimming; becomes a sentence of its description. */
export const TRIMMED = 'x-trimmed';
const TRIMMED_SENTENCE = 'The length counts after trimming.';

const describeTrimming = (schema: Readonly<Schema>): Schema => {
  const { [TRIMMED]: isTrimmed, ...rest } = schema;
  if (!isTrimmed) return rest;
  const { description } = rest;
  if (typeof description === 'string' && description.includes(TRIMMED_SENTENCE)) return rest;
  return { ...rest, description: description ? `${String(description)} ${TRIMMED_SENTENCE}` : TRIMMED_SENTENCE };
};

const ORDER = ['$ref', 'description', 'type', 'format', 'enum', 'const', 'default', 'examples'];
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const schemasIn = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

/** Flattens nested alternatives and lifts their description. */
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

/** Merges the alternatives of blank strings and of `null`. */
const joined = (schema: Schema): Schema => {
  if (!Array.isArray(schema.anyOf)) return schema;
  const takesBlank = (one: Schema) =>
    [one.type].flat().includes('string') &&
    !['minLength', 'pattern', 'format', 'enum', 'const'].some((key) => key in one);
  let alternatives = schemasIn(schema.anyOf);
  if (alternatives.some(takesBlank)) alternatives = alternatives.filter((one) => one.const !== '');
  const [first, second] = alternatives.toSorted((a, b) => Number(a.type === 'null') - Number(b.type === 'null'));
  const { anyOf: _, ...rest } = schema;
  if (alternatives.length === 1) return { ...first, ...rest };
  const isNullable =
    alternatives.length === 2 &&
    typeof first?.type === 'string' &&
    second?.type === 'null' &&
    !('enum' in first) &&
    !('const' in first);
  if (isNullable) return { ...first, ...rest, type: [first.type, 'null'] };
  const descriptions = alternatives.flatMap(({ description }) => description ?? []);
  if (descriptions.length !== 1 || rest.description !== undefined) return { ...rest, anyOf: alternatives };
  return { description: descriptions[0], ...rest, anyOf: alternatives.map(({ description: __, ...one }) => one) };
};

/** Redundant keywords: closed objects, the range of safe integers, patterns implied by a format. */
const isNoise = (key: string, value: unknown, schema: Readonly<Schema>): boolean => {
  if (key === 'additionalProperties') return value === false || (isSchema(value) && Object.keys(value).length === 0);
  if (key === 'maximum' || key === 'minimum') return Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER;
  if (key === 'propertyNames') return isSchema(value) && Object.keys(value).join() === 'type';
  return key === 'pattern' && schema.format === 'date-time';
};

/**
 * Simplifies a JSON Schema: removes redundant keywords and orders the rest. Objects stay open, because responses may gain
 * members and the service ignores unknown ones.
 */
export const simplified = (marked: Readonly<Schema>): Schema => {
  const given = describeTrimming(marked);
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
