import * as z from 'zod';
import { AiType } from '#contract/ai.ts';
import { GroupBy, Range, TrackedType } from '#contract/analytics.ts';
import { BatchKind, BatchOutcome, BatchState, KeptReason } from '#contract/batches.ts';
import { CheckResult, ClaimMethod, ClaimState } from '#contract/claims.ts';
import { eventKindNames } from '#contract/events.ts';
import { placementNames } from '#contract/fields.ts';
import { Frequency } from '#contract/follows.ts';
import { PartState } from '#contract/health.ts';
import { CheckoutKind, CheckoutStatus, PaymentState } from '#contract/payments.ts';
import {
  adminFacetNames,
  facetNames,
  importFields,
  matchKinds,
  Plan,
  PricingType,
  Status,
  sortAliases,
  sortKeys,
} from '#contract/projects.ts';
import { PromotionStatus } from '#contract/promotions.ts';
import { ReportStatus } from '#contract/reports.ts';
import { features } from '#contract/route.ts';
import { Role } from '#contract/users.ts';
import { VoteCaseState, VoteSignal } from '#contract/vote-cases.ts';
import { Delivery } from '#contract/webhooks.ts';
import { errorCodes } from '#shared/errors.ts';

type Schema = Record<string, unknown>;

/** Marks a text whose length counts after trimming; becomes a sentence of its description. */
const TRIMMED = 'x-trimmed';
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
const simplified = (marked: Readonly<Schema>): Schema => {
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

/** Enumerations with a name of their own in the document, so that generated clients have one type for each. */
const named: Readonly<Record<string, readonly string[]>> = {
  ErrorCode: errorCodes,
  ProjectStatus: Status.options,
  ProjectPlan: Plan.options,
  PricingType: PricingType.options,
  PricingFilter: ['all', ...PricingType.options],
  SortKey: sortKeys,
  SortParameter: [...sortKeys, ...Object.keys(sortAliases)],
  MatchKind: matchKinds,
  FacetName: facetNames,
  AdminFacetName: adminFacetNames,
  ImportField: importFields,
  UserRole: Role.options,
  PlacementName: placementNames,
  PurchaseKind: CheckoutKind.options,
  PurchaseStatus: CheckoutStatus.options,
  PaymentState: PaymentState.options,
  PromotionState: PromotionStatus.options,
  ReportState: ReportStatus.options,
  ClaimState: ClaimState.options,
  ClaimMethod: ClaimMethod.options,
  CheckResult: CheckResult.options,
  VoteCaseState: VoteCaseState.options,
  VoteSignal: VoteSignal.options,
  BatchType: BatchKind.options,
  BatchProgress: BatchState.options,
  ItemOutcome: BatchOutcome.options,
  ReasonToKeep: KeptReason.options,
  TextFlag: ['true', 'false'],
  EventKind: eventKindNames,
  DeliveryProgress: Delivery.shape.state.options,
  TrackedEventType: TrackedType.options,
  AnalyticsRange: Range.options,
  AnalyticsPeriod: GroupBy.options,
  GeneratedTextType: AiType.options,
  RefundReason: ['refund', 'dispute'],
  FeatureName: features,
  HealthState: PartState.options,
  FollowFrequency: Frequency.options,
  MapProjection: ['globe', 'mercator'],
  MapLighting: ['auto', 'dawn', 'day', 'dusk', 'night'],
};

const sortedText = (values: readonly unknown[]): string => JSON.stringify(values.toSorted());

const namesByValues = new Map(Object.entries(named).map(([name, values]) => [sortedText(values), name]));

/** Bounds of the integers that fit into 32 bits. */
const INT32_MAX = 2 ** 31 - 1;

/** The width of a number, which generators need to choose a type. */
const numberFormat = ({ type, format, maximum }: Schema): string | undefined => {
  if (format !== undefined) return undefined;
  const types = [type].flat();
  if (types.includes('integer')) return Number(maximum ?? Number.POSITIVE_INFINITY) <= INT32_MAX ? 'int32' : 'int64';
  return types.includes('number') ? 'double' : undefined;
};

/**
 * Replaces enumerations that have a name by references to them; adds the formats
 * of numbers.
 * @returns the document with the named enumerations among its schemas.
 */
export const withNamedEnums = <D extends { components: object }>(document: D): D => {
  const used: Record<string, Schema> = {};
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replaced);
    if (!isSchema(value)) return value;
    const { type, enum: values, ...rest } = value;
    const name = type === 'string' && Array.isArray(values) ? namesByValues.get(sortedText(values)) : undefined;
    if (name !== undefined) {
      used[name] ??= { type: 'string', enum: named[name] };
      return { $ref: `#/components/schemas/${name}`, ...rest };
    }
    const entries = Object.entries(value).map(([key, one]) => [key, key === 'examples' ? one : replaced(one)]);
    const format = typeof type === 'string' || Array.isArray(type) ? numberFormat(value) : undefined;
    return { ...Object.fromEntries(entries), ...(format !== undefined && { format }) };
  };
  const whole = replaced(document) as D & { components: { schemas?: Record<string, unknown> } };
  const schemas = Object.entries({ ...whole.components.schemas, ...used }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { ...whole, components: { ...whole.components, schemas: Object.fromEntries(schemas) } };
};

/** A JSON Schema in the 2020-12 dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Schema>;

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
  ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: Schema }): void => {
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
    const behind: Schema = z.toJSONSchema(def.out, { io: direction, unrepresentable: 'any' });
    if (behind.type !== jsonSchema.type) return;
    for (const bound of BOUNDS) if (bound in behind) jsonSchema[bound] = behind[bound];
  };

/** The provisional reference of a named schema; its final name is decided by `complete`. */
const provisional = (direction: Direction, name: string) => `#/components/${direction}/${name}`;
const PROVISIONAL = /"#\/components\/(input|output)\/([^"]+)"/g;

/** Collects the schemas of a document. Named schemas (`.meta({ id })`) become components, others are inlined. */
export class Schemas {
  readonly #named: Record<Direction, Map<string, JsonSchema>> = { input: new Map(), output: new Map() };

  of(schema: z.ZodType, direction: Direction): JsonSchema {
    const converted: Schema = z.toJSONSchema(schema, {
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
