import * as z from 'zod';
import { simplified, TRIMMED } from './simplify.ts';

/** A JSON Schema in the 2020-12 dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Whether a schema describes a request or a response. */
type Direction = 'input' | 'output';

const BOUNDS = [
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
];

/** Adds bounds that zod leaves out of transformed schemas, and marks texts whose length counts after trimming. */
const completed =
  (direction: Direction) =>
  ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: Record<string, unknown> }): void => {
    const { def } = zodSchema._zod;
    if (def.type === 'string' && def.checks?.some((check) => check._zod.def.check === 'overwrite')) {
      if ('minLength' in jsonSchema || 'maxLength' in jsonSchema) jsonSchema[TRIMMED] = true;
    }
    if (def.type !== 'pipe') return;
    const out = (def.out as z.core.$ZodTypes)._zod.def;
    if (out.type === 'transform') {
      if (direction === 'output' && (out.transform as unknown) === Number) jsonSchema.type = 'number';
      return;
    }
    // Bounds checked after a transformation also hold for the input when the type stays the same.
    const behind: Record<string, unknown> = z.toJSONSchema(def.out, { io: direction, unrepresentable: 'any' });
    if (behind.type !== jsonSchema.type) return;
    for (const bound of BOUNDS) if (bound in behind) jsonSchema[bound] = behind[bound];
  };

/** The provisional reference of a named schema; its final name is decided by `complete`. */
const provisional = (direction: Direction, name: string) => `#/components/${direction}/${name}`;
const PROVISIONAL = /"#\/components\/(input|output)\/([^"]+)"/g;

/** Collects the schemas of a document. Named schemas (`.meta({ id })`) become components, others are inlined. */
export class Schemas {
  readonly #named: Record<Direction, Map<string, JsonSchema>> = { input: new Map(), output: new Map() };

  /** The JSON Schema of a zod schema. */
  of(schema: z.ZodType, direction: Direction): JsonSchema {
    const converted: Record<string, unknown> = z.toJSONSchema(schema, {
      io: direction,
      unrepresentable: 'any',
      override: completed(direction),
    });
    const text = JSON.stringify(converted).replaceAll(/"#\/\$defs\/([^"]+)"/g, (_, name: string) =>
      JSON.stringify(provisional(direction, name)),
    );
    const { $schema: _, $defs = {}, ...rest } = JSON.parse(text) as Record<string, unknown>;
    for (const [name, definition] of Object.entries($defs as Record<string, JsonSchema>)) {
      this.#named[direction].set(name, simplified(definition));
    }
    return simplified(rest);
  }

  /** Names whose input and output schemas differ, for instance because of defaults. */
  #ambiguous(): ReadonlySet<string> {
    const ambiguous = new Set<string>();
    const { input, output } = this.#named;
    const asOutput = (schema: JsonSchema) =>
      JSON.stringify(schema).replaceAll(PROVISIONAL, (_, __, name: string) =>
        JSON.stringify(provisional(ambiguous.has(name) ? 'input' : 'output', name)),
      );
    for (let known = -1; known < ambiguous.size; ) {
      known = ambiguous.size;
      for (const [name, schema] of input) {
        const twin = output.get(name);
        if (twin && asOutput(schema) !== JSON.stringify(twin)) ambiguous.add(name);
      }
    }
    return ambiguous;
  }

  /** The document with its schema components under their final names. */
  complete<D extends { components: object }>(document: D): D {
    const ambiguous = this.#ambiguous();
    const nameOf = (direction: string, name: string) =>
      direction === 'input' && ambiguous.has(name) ? `${name}Input` : name;
    const schemas: Record<string, JsonSchema> = {};
    for (const direction of ['output', 'input'] as const) {
      for (const [name, schema] of this.#named[direction]) schemas[nameOf(direction, name)] ??= schema;
    }
    const sorted = Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const whole = { ...document, components: { ...document.components, schemas: sorted } };
    const text = JSON.stringify(whole).replaceAll(PROVISIONAL, (_, direction: string, name: string) =>
      JSON.stringify(`#/components/schemas/${nameOf(direction, name)}`),
    );
    return JSON.parse(text) as D;
  }
}
