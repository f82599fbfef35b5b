import { fold } from '#catalog/folded-text.ts';
import type { ReadCatalog } from '#catalog/types.ts';
import type { Condition, RuleConditions } from '#contract/rules.ts';
import { DAY_MS } from '#model/days.ts';
import { comparableValues, type Fields, fieldTexts } from '#model/field.ts';
import { mailDomain } from '#model/mail-address.ts';
import type { ProjectRecord } from '#model/project.ts';
import { canonicalHost, urlShorteners } from '#model/url.ts';
import type { UserRecord } from '#model/user.ts';

/** Whether a host is one of the others or below one of them. Linear in the length of the host. */
export const isBelow = (host: string, others: ReadonlySet<string>): boolean => {
  for (let rest = host; ; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (others.has(rest)) return true;
    if (!rest.includes('.')) return false;
  }
};

/** Hosts of a condition without the wildcard of top-level domains. */
const namesOf = (hosts: readonly string[]): ReadonlySet<string> =>
  new Set(hosts.map((host) => host.replace(/^\*\./, '')));

export const isShortener = (url: string): boolean => isBelow(canonicalHost(url), urlShorteners);

let disposable: Promise<ReadonlySet<string>> | undefined;

/** The list has 170 KB, so it is loaded when it is first needed. */
const disposableDomains = (): Promise<ReadonlySet<string>> => {
  disposable ??= import('disposable-email-domains-js').then((list) => list.disposableEmailBlocklistSet());
  return disposable;
};

/** Whether a mail address is at a service of disposable addresses. */
export const isDisposable = async (email: string | null): Promise<boolean> => {
  const domain = mailDomain(email);
  return domain !== undefined && isBelow(domain, await disposableDomains());
};

/** The texts of a submission that conditions and signals look at. */
type SubmissionText = Pick<ProjectRecord, 'name' | 'description' | 'long_description'>;

const textsOf = ({ name, description, long_description }: SubmissionText): readonly string[] => [
  name,
  description,
  long_description ?? '',
];

const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}]+/u;

/** Scripts that do not separate words: their phrases are found anywhere. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const spaced = (text: string): string => ` ${fold(text).split(BETWEEN_WORDS).filter(Boolean).join(' ')} `;

/** The texts as `containsPhrase` takes them: without case and accents, with a space around each word. */
export const foldedTexts = (submission: SubmissionText): readonly string[] => textsOf(submission).map(spaced);

const partOf = (phrase: string): string => {
  const wanted = spaced(phrase);
  return WITHOUT_SPACES.test(wanted) ? wanted.trim() : wanted;
};

/** The parts of each list of phrases: a simulation looks for the same ones in up to 1,000 submissions. */
const partsOf = new WeakMap<readonly string[], readonly string[]>();

/** Whether folded texts contain one of some words and phrases, as whole words. Linear in the texts. */
export const containsPhrase = (texts: readonly string[], phrases: readonly string[]): boolean => {
  const parts = partsOf.get(phrases) ?? phrases.map(partOf).filter((part) => part.trim() !== '');
  partsOf.set(phrases, parts);
  return parts.some((part) => texts.some((text) => text.includes(part)));
};

const LINK = /https?:\/\/|(?<![\p{L}\p{N}./])www\./giu;

/** The number of links in the texts. */
export const countLinks = (submission: SubmissionText): number =>
  textsOf(submission).reduce((sum, text) => sum + (text.match(LINK)?.length ?? 0), 0);

const LETTERS_MIN = 20;
const SHOUTED_PART = 0.6;

/** Whether most letters of name and short description are capitals, in scripts that have them. */
export const isAllCaps = ({ name, description }: SubmissionText): boolean => {
  const text = `${name} ${description}`;
  const capitals = text.match(/\p{Lu}/gu)?.length ?? 0;
  const letters = capitals + (text.match(/\p{Ll}/gu)?.length ?? 0);
  return letters >= LETTERS_MIN && capitals / letters >= SHOUTED_PART;
};

/** A submission as rules see it, at the time of its submission. */
export interface Submitted
  extends Pick<
    ProjectRecord,
    'id' | 'name' | 'url' | 'description' | 'long_description' | 'categories' | 'plan' | 'field_values'
  > {
  readonly fields: Fields;
  readonly submitter: UserRecord;
  /** ISO 8601. */
  readonly at: string;
  /** The catalog, ready for `similar`; only some conditions need it. */
  readonly catalog: () => Promise<ReadCatalog>;
}

/** A submission with what is expensive to know of it, which is computed once, and only where a condition needs it. */
interface ExaminedSubmission extends Submitted {
  readonly texts: () => readonly string[];
  /** The score of the listing most like it among those created before it; 0 without one. */
  readonly duplicateScore: () => Promise<number>;
}

export const examine = (submitted: Submitted): ExaminedSubmission => {
  const { catalog, id, name, url, description, at } = submitted;
  let texts: readonly string[] | undefined;
  let score: Promise<number> | undefined;
  const findScore = async (): Promise<number> =>
    (await catalog()).similar({ id, name, url, description, createdBefore: at }, 1)[0]?.score ?? 0;
  return {
    ...submitted,
    texts: () => (texts ??= [...foldedTexts(submitted), ...fieldTexts(submitted.fields, submitted).map(spaced)]),
    duplicateScore: () => (score ??= findScore()),
  };
};

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
    submitted: ExaminedSubmission,
  ) => boolean | Promise<boolean>;
};

/** In ascending order of cost, which is the order of evaluation. */
const tests: Tests = {
  plan_is: (plan, submitted) => submitted.plan === plan,
  category_in: (slugs, { categories }) => categories.some((slug) => slugs.includes(slug)),
  domain_in: (hosts, { url }) => isBelow(canonicalHost(url), namesOf(hosts)),
  domain_is_shortener: (_, { url }) => isShortener(url),
  mail_domain_in: (hosts, { submitter }) => isBelow(mailDomain(submitter.email) ?? '', namesOf(hosts)),
  mail_unverified: (_, { submitter }) => !submitter.email_verified,
  field_is: (wanted, submitted) =>
    Object.entries(wanted).every(([key, values]) => {
      const actual = comparableValues(submitted.fields, key, submitted).map(fold);
      return values.some((value) => actual.includes(fold(value)));
    }),
  links_in_text: (min, submitted) => countLinks(submitted) >= min,
  text_contains: (phrases, { texts }) => containsPhrase(texts(), phrases),
  mail_is_disposable: (_, { submitter }) => isDisposable(submitter.email),
  live_projects: async (min, submitted) => liveProjects(await submitted.catalog(), submitted) >= min,
  submissions_last_day: async (min, submitted) => submissionsLastDay(await submitted.catalog(), submitted) >= min,
  duplicate_score: async (min, { duplicateScore }) => (await duplicateScore()) >= min,
};

const names = Object.keys(tests) as (keyof Condition)[];

/** @throws Error for a condition that this version does not know. */
const nameOf = (condition: Condition): keyof Condition => {
  const name = names.find((one) => condition[one] !== undefined);
  if (name === undefined) throw new Error(`The condition ${Object.keys(condition).join()} is unknown.`);
  return name;
};

const isMet = async (condition: Condition, name: keyof Condition, submitted: ExaminedSubmission): Promise<boolean> => {
  const test = tests[name] as (value: unknown, submitted: ExaminedSubmission) => boolean | Promise<boolean>;
  return await test(condition[name], submitted);
};

/** Whether the conditions of a rule hold for a submission. Stops as soon as that is certain. @throws when a condition fails. */
export const matches = async ({ all, any }: RuleConditions, submitted: ExaminedSubmission): Promise<boolean> => {
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
