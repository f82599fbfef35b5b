import * as z from 'zod';
import type { eventKinds } from '#contract/events.ts';
import { Latitude, Longitude } from '#contract/places.ts';
import { type AppliedRule, PendingRevision, Project, RuleAction } from '#contract/projects.ts';

/**
 * A project as stored, without its counters, which are a separate item. Fields have the schema of the response unless the
 * stored form differs. Times are ISO 8601 in UTC with milliseconds, so they sort as text.
 *
 * Item mapping, feed validation, submissions, responses, CSV columns and snapshots derive from this schema or are checked
 * against it. A new field must be nullable or a list of strings: existing items lack it and read as null or an empty list.
 */
export const ProjectRecord = z.object({
  ...Project.omit({
    spheres: true,
    upvote_count: true,
    average_rating: true,
    ratings_count: true,
    weighted_rating: true,
    comments_count: true,
    views_count: true,
    possible_duplicates: true,
    queue_position: true,
    truncated: true,
    rule: true,
    fields: true,
    fields_missing: true,
  }).shape,
  /** Previous slugs that still resolve to the project; they stay reserved until it is purged. */
  earlier_slugs: z.array(z.string()),
  latitude: Latitude.nullable(),
  longitude: Longitude.nullable(),
  rejection_reason: Project.shape.rejection_reason.unwrap(),
  paid_at: Project.shape.paid_at.unwrap(),
  publish_at: Project.shape.publish_at.unwrap(),
  approved_at: Project.shape.approved_at.unwrap(),
  claimed_at: Project.shape.claimed_at.unwrap(),
  /** The rule that was applied to the last submission, as it was then; null without one. */
  rule_id: z.string().nullable(),
  rule_name: z.string().nullable(),
  rule_action: RuleAction.nullable(),
  /** The edit that waits for approval, a copy of which is stored as a revision. */
  pending_revision: PendingRevision.extend({
    /** How many edits were merged. */
    merges: z.number(),
    /** The version of the project before the first edit. */
    base_version: z.number(),
  }).nullable(),
  /** How many writes changed the waiting edit alone; null for none. */
  pending_writes: z.number().nullable(),
  /** The values of further fields as JSON by the id of their definition; null for none. See `#model/field.ts`. */
  field_values: z.string().nullable(),
  /** Increases by one with every write of the record: the order of replication. */
  version: z.number(),
});
type Stored = z.infer<typeof ProjectRecord>;
export type ProjectRecord = {
  readonly [Field in keyof Stored]: Stored[Field] extends string[] ? readonly string[] : Stored[Field];
};

/** The version of the published record, which a waiting edit does not move: the ETag of conditional requests. */
export const liveVersion = ({ version, pending_writes }: ProjectRecord): number => version - (pending_writes ?? 0);

type FieldsOfType<T> = {
  [Field in keyof ProjectRecord]: T extends ProjectRecord[Field] ? Field : never;
}[keyof ProjectRecord];
type NullableField = FieldsOfType<null>;
type ListField = FieldsOfType<readonly string[]>;

const NO_ENTRIES: readonly string[] = Object.freeze([]);

const unsetValue = (schema: z.ZodType): unknown => {
  if (schema instanceof z.ZodNullable) return null;
  return schema instanceof z.ZodArray ? NO_ENTRIES : undefined;
};

/** The optional fields of a project that has none of them: null or an empty list. */
export const unsetFields = Object.fromEntries(
  Object.entries(ProjectRecord.shape)
    .map(([field, schema]) => [field, unsetValue(schema)] as const)
    .filter(([, value]) => value !== undefined),
) as Pick<ProjectRecord, NullableField | ListField>;

/** The counters of a project. `version` increases with every write, independently of the record's. */
export interface ProjectCounts {
  readonly upvote_count: number;
  readonly ratings_sum: number;
  readonly ratings_count: number;
  readonly comments_count: number;
  readonly views_count: number;
  readonly reports_open: number;
  readonly version: number;
}

/** The counters of a project without reactions and views. */
export const noCounts: ProjectCounts = {
  upvote_count: 0,
  ratings_sum: 0,
  ratings_count: 0,
  comments_count: 0,
  views_count: 0,
  reports_open: 0,
  version: 0,
};

/** The mean rating, rounded to two decimals; 0 without ratings. */
export const averageRating = (counts: Pick<ProjectCounts, 'ratings_sum' | 'ratings_count'>): number =>
  counts.ratings_count > 0 ? Math.round((counts.ratings_sum / counts.ratings_count) * 100) / 100 : 0;

export const appliedRule = ({
  rule_id: id,
  rule_name: name,
  rule_action: action,
}: Pick<ProjectRecord, 'rule_id' | 'rule_name' | 'rule_action'>): AppliedRule | null =>
  id === null || name === null || action === null ? null : { id, name, action };

export const projectEventData = (project: ProjectRecord): z.infer<typeof eventKinds.projectSubmitted> => ({
  project_id: project.id,
  slug: project.slug,
  name: project.name,
  url: project.url,
  plan: project.plan,
  status: project.status,
  owner_id: project.owner_id,
});

/** The counters that can be recounted from items. Views have no items. */
export const recounted = ['upvote_count', 'ratings_sum', 'ratings_count', 'comments_count', 'reports_open'] as const;

export type Recounted = Pick<ProjectCounts, (typeof recounted)[number]>;
