import * as z from 'zod';
import { data, decimal, deleted, integer, line, optionalText, reference } from './fields.ts';
import { Plan, RuleAction, Status } from './projects.ts';
import { adminOnly, defineRoute } from './route.ts';
import { Host } from './web-addresses.ts';

const CONDITIONS_MAX = 20;
/** The entries of one list, and the size of all conditions of a rule as JSON, in bytes. */
const ENTRIES_MAX = 500;
const CONDITIONS_BYTES_MAX = 20_000;

const listOf = <T extends z.ZodType>(entry: T) =>
  z
    .array(entry)
    .min(1, { error: 'must have at least one entry' })
    .max(ENTRIES_MAX, { error: `must have at most ${ENTRIES_MAX} entries` });

const flag = () => z.literal(true, { error: 'must be true' });
const atLeast = (max: number) => integer(1, max);

const conditions = {
  domain_in: listOf(Host).describe(
    'The host of `url` is one of these or below one of them. `*.com` stands for a whole top-level domain.',
  ),
  domain_is_shortener: flag().describe('The host of `url` is that of a URL shortener.'),
  mail_domain_in: listOf(Host).describe(
    "The domain of the submitter's mail address is one of these or below one; like `domain_in`.",
  ),
  mail_is_disposable: flag().describe("The submitter's mail address is a disposable one."),
  mail_unverified: flag().describe('The submitter has no verified mail address.'),
  text_contains: listOf(line(1, 100)).describe(
    'Name, descriptions or text fields contain one of these words or phrases, as whole words; case and accents are ignored.',
  ),
  links_in_text: atLeast(1000).describe('At least so many links in name and descriptions.'),
  duplicate_score: decimal()
    .gt(0, { error: 'must be greater than 0' })
    .max(1, { error: 'must be at most 1' })
    .describe('The most similar project has at least this score; see the dossier.'),
  submissions_last_day: atLeast(10_000).describe(
    'At least so many submissions by the submitter within 24 hours, this one included.',
  ),
  live_projects: atLeast(100_000).describe('The submitter has at least so many live projects.'),
  plan_is: Plan,
  category_in: listOf(reference(100)).describe(
    'Category slugs; the project has one of them. The slug of a merged category stands for the one that replaced it.',
  ),
  field_is: z
    .record(
      z
        .string()
        .regex(/^[a-z][a-z0-9_]{0,39}$/, { error: 'must be the key of a field' })
        .refine((key) => key !== 'constructor', { error: 'must be the key of a field' }),
      listOf(line(1, 200)),
    )
    .refine((fields) => Object.keys(fields).length === 1, { error: 'must name one field' })
    .describe(
      'The field of this key has one of these values: options and dates as they are stored, numbers and `true` or `false` as text, texts without regard to case and accents.',
    ),
} as const;

const conditionNames = Object.keys(conditions) as (keyof typeof conditions)[];

/** One condition: an object with one of the members. */
export const Condition = z
  .object(conditions)
  .partial()
  .refine((condition) => Object.values(condition).filter((value) => value !== undefined).length === 1, {
    error: `must be one condition: ${conditionNames.join(', ')}`,
  })
  .meta({ id: 'RuleCondition', minProperties: 1, maxProperties: 1 });
export type Condition = z.infer<typeof Condition>;

const conditionList = z
  .array(Condition)
  .min(1, { error: 'must have at least one condition' })
  .max(CONDITIONS_MAX, { error: `must have at most ${CONDITIONS_MAX} conditions` })
  .optional();

/** When a rule matches. */
export const RuleConditions = z
  .object({
    all: conditionList.describe('Every condition is met.'),
    any: conditionList.describe('At least one condition is met.'),
  })
  .refine(({ all, any }) => (all === undefined) !== (any === undefined), { error: 'must have either all or any' })
  .refine((when) => new TextEncoder().encode(JSON.stringify(when)).length <= CONDITIONS_BYTES_MAX, {
    error: `must have at most ${CONDITIONS_BYTES_MAX} bytes as JSON`,
  })
  .meta({ id: 'RuleConditions', minProperties: 1, maxProperties: 1 });
export type RuleConditions = z.infer<typeof RuleConditions>;

/** A rule that is applied to submissions. */
export const Rule = z
  .object({
    id: z.string().describe('`rul_` and a ULID.'),
    version: z.int().min(1).describe('Increases with every change; the audit log names it.'),
    name: z.string(),
    is_active: z.boolean(),
    order: z.int().describe('Rules are tried by this number, then by id; the first that matches is applied.'),
    when: RuleConditions,
    action: RuleAction,
    reason: z.string().nullable().describe('For the submitter of a rejected project.'),
    note: z.string().nullable().describe('For administrators.'),
  })
  .meta({ id: 'Rule' });
export type Rule = z.infer<typeof Rule>;

const fields = {
  name: line(1, 100),
  is_active: z.boolean().describe('Inactive rules are kept but not tried.'),
  order: integer(-1_000_000, 1_000_000).describe('Rules are tried by this number, then by id.'),
  when: RuleConditions,
  action: RuleAction.describe(
    '`approve` and `reject` decide like a moderator; `hold` keeps the project pending and names the rule. A paid project is held instead of rejected.',
  ),
  reason: optionalText(1000).describe('For the submitter of a rejected project.'),
  note: optionalText(1000).describe('For administrators.'),
} as const;

export const RuleBody = z
  .object({
    name: fields.name,
    is_active: fields.is_active.default(true),
    order: fields.order.default(0),
    when: fields.when,
    action: fields.action,
    reason: fields.reason.optional(),
    note: fields.note.optional(),
  })
  .meta({ id: 'RuleBody' });
export type RuleBody = z.infer<typeof RuleBody>;

export const RuleUpdate = z.object(fields).partial().meta({ id: 'RuleUpdate' });
export type RuleUpdate = z.infer<typeof RuleUpdate>;

export const list = defineRoute('rules.list', {
  ...adminOnly,
  method: 'GET',
  path: '/api/admin/rules',
  summary: 'List the rules for submissions',
  description: 'All of them, in the order in which they are tried. There are none by default.',
  responses: { 200: data(z.array(Rule)) },
  permissions: ['table:query'],
});

export const create = defineRoute('rules.create', {
  ...adminOnly,
  method: 'POST',
  path: '/api/admin/rules',
  summary: 'Create a rule for submissions',
  description:
    'The first active rule that matches is applied when a project is submitted or resubmitted, in the same transaction. Submissions by administrators and imports are exempt. A rule that fails holds the submission.',
  body: RuleBody,
  idempotent: true,
  responses: { 201: data(Rule) },
  permissions: ['table:get', 'table:query'],
  writes: ['rules'],
});

export const update = defineRoute('rules.update', {
  ...adminOnly,
  method: 'PUT',
  path: '/api/admin/rules/{rule}',
  summary: 'Update a rule',
  description: 'Partial; `when` is replaced as a whole. Projects that it was applied to stay as they are.',
  body: RuleUpdate,
  responses: { 200: data(Rule) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query'],
  writes: ['rules'],
});

export const remove = defineRoute('rules.remove', {
  ...adminOnly,
  method: 'DELETE',
  path: '/api/admin/rules/{rule}',
  summary: 'Delete a rule',
  description: 'Projects that it was applied to stay as they are.',
  responses: { 200: deleted },
  failures: ['NOT_FOUND'],
  permissions: [],
  writes: ['rules'],
});

const SIMULATED_MAX = 1000;
/** The listed results of a simulation; all are counted. */
export const SIMULATION_ITEMS_MAX = 100;

export const Simulation = z
  .object({
    rules: z.array(RuleBody).max(100, { error: 'must have at most 100 entries' }),
    last: integer(1, SIMULATED_MAX).describe('The number of submissions, the latest ones.'),
  })
  .meta({ id: 'RuleSimulation' });
export type Simulation = z.infer<typeof Simulation>;

const outcomes = [...RuleAction.options, 'none'] as const;
export type SimulatedOutcome = (typeof outcomes)[number];

export const SimulationResult = z
  .object({
    counts: z.object({
      approve: z.int().min(0),
      reject: z.int().min(0),
      hold: z.int().min(0),
      none: z.int().min(0).describe('No rule matches, or the submitter is an administrator.'),
    }),
    items: z
      .array(
        z.object({
          project: z.object({ id: z.string(), slug: z.string(), name: z.string(), status: Status }),
          action: z.enum(outcomes),
          rule: z
            .object({ position: z.int().min(0).describe('In the list of the request, from 0.'), name: z.string() })
            .nullable(),
          has_failed: z.boolean().describe('Whether the rule could not be evaluated, so that it would hold.'),
        }),
      )
      .describe(`The latest ${SIMULATION_ITEMS_MAX}, newest first.`),
  })
  .meta({ id: 'RuleSimulationResult' });
export type SimulationResult = z.infer<typeof SimulationResult>;

export const simulate = defineRoute('rules.simulate', {
  ...adminOnly,
  method: 'POST',
  path: '/api/admin/rules/simulate',
  summary: 'Try rules on past submissions',
  description:
    'Evaluates the given rules, not the stored ones, for the latest submissions, with what is known of their submitters now and of other projects at the time of the submission. Changes nothing.',
  body: Simulation,
  responses: { 200: data(SimulationResult) },
  permissions: ['table:get', 'table:query', 'catalog'],
  timeoutSeconds: 29,
});
