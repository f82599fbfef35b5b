import * as z from 'zod';
import { simplified } from './simplify.ts';

/** A JSON Schema of the 2020-12 dialect, which is that of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Whether a schema describes what a caller sends or what he gets. */
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

/** What zod leaves out of transformed schemas, although a caller should know it. */
const completed =
  (direction: Direction) =>
  ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: Record<string, unknown> }): void => {
    const { def } = zodSchema._zod;
    if (def.type !== 'pipe') return;
    const out = (def.out as z.core.$ZodTypes)._zod.def;
    if (out.type === 'transform') {
      if (direction === 'output' && (out.transform as unknown) === Number) jsonSchema.type = 'number';
      return;
    }
    // Bounds that are checked behind a transformation hold for the caller when the kind of value stays the same.
    const behind: Record<string, unknown> = z.toJSONSchema(def.out, { io: direction, unrepresentable: 'any' });
    if (behind.type !== jsonSchema.type) return;
    for (const bound of BOUNDS) if (bound in behind) jsonSchema[bound] = behind[bound];
  };

/** The place of a schema with a name while the document is made; its last name is decided at the end. */
const place = (direction: Direction, name: string) => `#/components/${direction}/${name}`;
const PLACES = /"#\/components\/(input|output)\/([^"]+)"/g;

/** Collects the schemas of a document: those with a name (`.meta({ id })`) become components, others stand where they are. */
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
      JSON.stringify(place(direction, name)),
    );
    const { $schema: _, $defs = {}, ...rest } = JSON.parse(text) as Record<string, unknown>;
    for (const [name, definition] of Object.entries($defs as Record<string, JsonSchema>)) {
      this.#named[direction].set(name, simplified(definition));
    }
    return simplified(rest);
  }

  /** Names that mean one thing to a sender and another to a reader, for instance because of defaults. */
  #ambiguous(): ReadonlySet<string> {
    const ambiguous = new Set<string>();
    const { input, output } = this.#named;
    const asOutput = (schema: JsonSchema) =>
      JSON.stringify(schema).replaceAll(PLACES, (_, __, name: string) =>
        JSON.stringify(place(ambiguous.has(name) ? 'input' : 'output', name)),
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

  /** The whole document with its schema components, each under its last name. */
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
    const text = JSON.stringify(whole).replaceAll(PLACES, (_, direction: string, name: string) =>
      JSON.stringify(`#/components/schemas/${nameOf(direction, name)}`),
    );
    return JSON.parse(text) as D;
  }
}
