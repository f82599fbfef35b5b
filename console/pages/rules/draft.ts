import type { Condition, Rule, RuleBody } from '#contract/rules.ts';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

/** The value of `open` for a rule that does not exist yet. */
export const NEW = 'new';

export type ConditionKind = keyof typeof text.kinds;
export const conditionKinds = Object.keys(text.kinds) as ConditionKind[];

/** How the value of a condition is entered. */
export const inputOf = {
  domain_in: 'list',
  domain_is_shortener: 'none',
  mail_domain_in: 'list',
  mail_is_disposable: 'none',
  mail_unverified: 'none',
  text_contains: 'list',
  links_in_text: 'number',
  duplicate_score: 'number',
  submissions_last_day: 'number',
  live_projects: 'number',
  plan_is: 'plan',
  category_in: 'list',
  field_is: 'field',
} as const satisfies Record<ConditionKind, 'list' | 'none' | 'number' | 'plan' | 'field'>;

export type Plan = 'standard' | 'premium';

/** A condition as it is edited; what was entered for another kind is kept. */
export interface DraftCondition {
  /** Stays the same while conditions before it are removed. */
  readonly id: number;
  readonly kind: ConditionKind;
  readonly list: readonly string[];
  readonly number: string;
  readonly plan: Plan;
  /** The key of a further field. */
  readonly field: string;
}

/** A rule as it is edited. */
export interface Draft {
  readonly name: string;
  readonly action: Rule['action'];
  readonly reason: string;
  readonly note: string;
  readonly match: 'all' | 'any';
  readonly conditions: readonly DraftCondition[];
}

let lastId = 0;

export const newCondition = (kind: ConditionKind = 'text_contains'): DraftCondition => {
  lastId += 1;
  return { id: lastId, kind, list: [], number: '', plan: 'standard', field: '' };
};

const fieldOf = (condition: Readonly<Record<string, readonly string[]>>) => {
  const [[field, list] = ['', []]] = Object.entries(condition);
  return { field, list };
};

const draftCondition = (condition: Condition): DraftCondition => {
  const kind = conditionKinds.find((one) => condition[one] !== undefined) ?? 'text_contains';
  const { [kind]: value } = condition;
  return {
    ...newCondition(kind),
    ...(Array.isArray(value) && { list: value }),
    ...(typeof value === 'number' && { number: String(value) }),
    ...(kind === 'plan_is' && { plan: value as Plan }),
    ...(kind === 'field_is' && fieldOf(value as Readonly<Record<string, readonly string[]>>)),
  };
};

/** The conditions of a rule, and how they are joined. */
export const conditionsOf = ({ when }: Pick<Rule, 'when'>): readonly ['all' | 'any', readonly Condition[]] =>
  when.all ? ['all', when.all] : ['any', when.any ?? []];

/** Rules that many directories start with. */
export const templates = {
  disposable: { action: 'hold', conditions: [['mail_is_disposable'], ['mail_unverified']], match: 'any' },
  shortener: { action: 'reject', conditions: [['domain_is_shortener']], match: 'all' },
  duplicate: { action: 'hold', conditions: [['duplicate_score', '0.9']], match: 'all' },
  flood: { action: 'hold', conditions: [['submissions_last_day', '5']], match: 'all' },
  trusted: { action: 'approve', conditions: [['live_projects', '3']], match: 'all' },
} as const satisfies Readonly<
  Record<
    string,
    Pick<Draft, 'action' | 'match'> & { readonly conditions: readonly (readonly [ConditionKind, string?])[] }
  >
>;

export type Template = keyof typeof templates;

const isTemplate = (name: string | null): name is Template => name !== null && Object.hasOwn(templates, name);

/** The draft of a template; undefined for another name. */
export const draftOfTemplate = (name: string | null): Draft | undefined => {
  if (!isTemplate(name)) return undefined;
  const { action, match, conditions } = templates[name];
  return {
    ...draftOf(undefined),
    name: text.templates[name],
    reason: action === 'reject' ? text.templateReason : '',
    action,
    match,
    conditions: conditions.map(([kind, number = '']) => ({ ...newCondition(kind), number })),
  };
};

export const draftOf = (rule: Rule | undefined): Draft => {
  if (!rule) return { name: '', action: 'hold', reason: '', note: '', match: 'all', conditions: [newCondition()] };
  const [match, conditions] = conditionsOf(rule);
  return {
    name: rule.name,
    action: rule.action,
    reason: rule.reason ?? '',
    note: rule.note ?? '',
    match,
    conditions: conditions.map(draftCondition),
  };
};

const enteredValue = ({ kind, list, number, plan, field }: DraftCondition) =>
  ({ list, none: true, number: number === '' ? undefined : Number(number), plan, field: { [field]: list } })[
    inputOf[kind]
  ];

/** The body of a request; the service checks it. */
export const bodyOfDraft = ({ match, conditions, reason, ...draft }: Draft) =>
  ({
    ...draft,
    reason: draft.action === 'reject' ? reason : null,
    when: { [match]: conditions.map((condition) => ({ [condition.kind]: enteredValue(condition) })) },
  }) as Omit<RuleBody, 'is_active' | 'order'>;

const textOf = (condition: Condition): string => {
  const { kind, list, number, plan, field } = draftCondition(condition);
  const values = list.join(', ');
  const value = { list: values, none: '', number, plan: strings.plan[plan], field: `${field}: ${values}` }[
    inputOf[kind]
  ];
  return `${text.kinds[kind]} ${value}`.trim();
};

/** The conditions of a rule in words. */
export const textOfConditions = (rule: Pick<Rule, 'when'>): string => {
  const [match, conditions] = conditionsOf(rule);
  return conditions
    .map(textOf)
    .map((one, at) => (at === 0 ? one : `${one.charAt(0).toLowerCase()}${one.slice(1)}`))
    .join(text.joined[match]);
};
