import { AiType } from '#contract/ai.ts';
import { GroupBy, Range, TrackedType } from '#contract/analytics.ts';
import { BatchKind, BatchOutcome, BatchState, KeptReason } from '#contract/batches.ts';
import { eventKindNames } from '#contract/events.ts';
import { placementNames } from '#contract/fields.ts';
import { PartState } from '#contract/health.ts';
import { CheckoutKind, CheckoutStatus, PaymentState } from '#contract/payments.ts';
import {
  adminFacetNames,
  facetNames,
  importFields,
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
import { Delivery } from '#contract/webhooks.ts';
import { errorCodes } from '#shared/errors.ts';

type Json = Record<string, unknown>;

/** Enumerations with a name of their own in the document, so that generated clients have one type for each. */
const named: Readonly<Record<string, readonly string[]>> = {
  ErrorCode: errorCodes,
  ProjectStatus: Status.options,
  ProjectPlan: Plan.options,
  PricingType: PricingType.options,
  PricingFilter: ['all', ...PricingType.options],
  SortKey: sortKeys,
  SortParameter: [...sortKeys, ...Object.keys(sortAliases)],
  FacetName: facetNames,
  AdminFacetName: adminFacetNames,
  ImportField: importFields,
  UserRole: Role.options,
  PlacementName: placementNames,
  PurchaseKind: CheckoutKind.options,
  PurchaseStatus: CheckoutStatus.options,
  PaidStatus: PaymentState.options,
  PromotionState: PromotionStatus.options,
  ReportState: ReportStatus.options,
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
  MapProjection: ['globe', 'mercator'],
  MapLighting: ['auto', 'dawn', 'day', 'dusk', 'night'],
};

const sorted = (values: readonly unknown[]): string => JSON.stringify(values.toSorted());

const namesByValues = new Map(Object.entries(named).map(([name, values]) => [sorted(values), name]));

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Bounds of the integers that fit into 32 bits. */
const INT32_MAX = 2 ** 31 - 1;

/** The width of a number, which generators need to choose a type. */
const numberFormat = ({ type, format, maximum }: Json): string | undefined => {
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
  const used: Record<string, Json> = {};
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replaced);
    if (!isObject(value)) return value;
    const { type, enum: values, ...rest } = value;
    const name = type === 'string' && Array.isArray(values) ? namesByValues.get(sorted(values)) : undefined;
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
