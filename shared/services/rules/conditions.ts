import type { ReadCatalog, SimilarEntry } from '#catalog/types.ts';
import type { Condition, RuleConditions } from '#contract/rules.ts';
import { canonicalHost } from '#model/canonical-url.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { UserRecord } from '#model/user.ts';
import { isBelow, isDisposable, isShortener, mailDomain } from './addresses.ts';
import { countLinks, findPhrase } from './submission-text.ts';

/** A submission as rules see it, at the time of its submission. */
export interface Submitted
  extends Pick<ProjectRecord, 'id' | 'name' | 'url' | 'description' | 'long_description' | 'categories' | 'plan'> {
  readonly submitter: UserRecord;
  /** ISO 8601. */
  readonly at: string;
  /** The catalog, ready for `similar`; only some conditions need it. */
  readonly catalog: () => Promise<ReadCatalog>;
}

const DAY_MS = 86_400_000;

/** The listing most like a submission among those created before it. */
export const mostSimilar = async ({
  catalog,
  id,
  name,
  url,
  description,
  at,
}: Submitted): Promise<SimilarEntry | undefined> =>
  (await catalog()).similar({ id, name, url, description, createdBefore: at }, 1)[0];

/** The submitter's submissions in the day before a submission, and this one. */
export const submissionsLastDay = (
  directory: ReadCatalog,
  { id, at, submitter }: Pick<Submitted, 'id' | 'at'> & { readonly submitter: Pick<UserRecord, 'id'> },
): number => {
  const since = new Date(Date.parse(at) - DAY_MS).toISOString();
  return new Set([...directory.createdBetween(submitter.id, since, at), id]).size;
};

/** The submitter's live listings, without this one. */
const liveProjects = (directory: ReadCatalog, { id, submitter }: Submitted): number => {
  const own = directory.find(id)?.project;
  const isCounted = own?.status === 'live' && own.deleted_at === null;
  return directory.ownerCounts(submitter.id).live - Number(isCounted);
};

type Tests = {
  readonly [Name in keyof Condition]-?: (
    value: NonNullable<Condition[Name]>,
    submitted: Submitted,
  ) => boolean | Promise<boolean>;
};

/** In ascending order of cost, which is the order of evaluation. */
const tests: Tests = {
  plan_is: (plan, submitted) => submitted.plan === plan,
  category_in: (slugs, { categories }) => categories.some((slug) => slugs.includes(slug)),
  domain_in: (hosts, { url }) => isBelow(canonicalHost(url), new Set(hosts)),
  domain_is_shortener: (_, { url }) => isShortener(url),
  mail_domain_in: (hosts, { submitter }) => isBelow(mailDomain(submitter.email) ?? '', new Set(hosts)),
  mail_unverified: (_, { submitter }) => !submitter.email_verified,
  links_in_text: (min, submitted) => countLinks(submitted) >= min,
  text_contains: (phrases, submitted) => findPhrase(submitted, phrases) !== undefined,
  mail_is_disposable: (_, { submitter }) => isDisposable(submitter.email),
  live_projects: async (min, submitted) => liveProjects(await submitted.catalog(), submitted) >= min,
  submissions_last_day: async (min, submitted) => submissionsLastDay(await submitted.catalog(), submitted) >= min,
  duplicate_score: async (min, submitted) => ((await mostSimilar(submitted))?.score ?? 0) >= min,
};

const names = Object.keys(tests) as (keyof Condition)[];

/** @throws Error for a condition that is unknown: the rule was stored by another version. */
const nameOf = (condition: Condition): keyof Condition => {
  const name = names.find((one) => condition[one] !== undefined);
  if (name === undefined) throw new Error(`The condition ${Object.keys(condition).join()} is unknown.`);
  return name;
};

const isMet = async (condition: Condition, name: keyof Condition, submitted: Submitted): Promise<boolean> => {
  const test = tests[name] as (value: unknown, submitted: Submitted) => boolean | Promise<boolean>;
  return await test(condition[name], submitted);
};

/** Whether the conditions of a rule hold for a submission. Stops as soon as that is certain. @throws when a condition fails. */
export const matches = async ({ all, any }: RuleConditions, submitted: Submitted): Promise<boolean> => {
  const conditions = all ?? any;
  if (!conditions) throw new Error('The rule has no conditions.');
  const byCost = conditions
    .map((condition) => ({ condition, name: nameOf(condition) }))
    .sort((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
  // For `all` the first condition that is not met decides, for `any` the first that is.
  const decisive = all === undefined;
  for (const { condition, name } of byCost) {
    if ((await isMet(condition, name, submitted)) === decisive) return decisive;
  }
  return !decisive;
};
