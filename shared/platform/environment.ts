import { isIP } from 'node:net';
import * as z from 'zod';
import { isLanguage, type Language, languages } from '#contract/languages.ts';
import { type Feature, features, neededFeatures } from '#contract/route.ts';
import { sendableAddress } from '#model/mail-address.ts';
import { asciiLowerCase } from '#model/user.ts';

// Configuration that differs between deployments, read from environment variables once per process.

/** Whether a text is an IP address or a range of them, such as `10.0.0.0/8`. */
const isAddressRange = (text: string): boolean => {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && (bits === undefined || Number(bits) <= (family === 6 ? 128 : 32));
};

/** An IP address, with or without a port: `9.9.9.9`, `9.9.9.9:53`, `[2620:fe::fe]:53`. */
const isNameServer = (text: string): boolean => {
  const [, bracketed, v4] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(text) ?? [];
  return isIP(bracketed ?? v4 ?? text) !== 0;
};

const isMailAddress = (text: string): boolean => /^[^\s@<>,;]+@[^\s@<>,;]+$/.test(text);

/** Comma-separated values; empty by default. */
const list = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

/** Values of a list that each have a form. @param form completes "contains x, which is not …". */
const listOf = (isValid: (value: string) => boolean, form: string) =>
  list.refine((values) => values.every(isValid), {
    error: ({ input }) => {
      const wrong = (input as readonly string[]).find((value) => !isValid(value));
      return `contains "${wrong}", which is not ${form}`;
    },
  });

/** A queue with the events that a subscriber failed to process. */
export interface DeadLetterQueue {
  readonly subscriber: string;
  readonly url: string;
}

/** An entry of `DEAD_LETTER_QUEUES`: `subscriber=url`. */
const deadLetterQueue = (entry: string): DeadLetterQueue => {
  const [subscriber = '', url = ''] = entry.split('=', 2);
  return { subscriber, url };
};

const webAddress = z
  .string()
  .refine((value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), { error: 'must be an http or https address' });

/** The names and addresses of this machine as the host of a URL. */
export const LOOPBACK: ReadonlySet<string | undefined> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The keys that decide which tokens are valid come over https, or over http from this machine. */
const isKeySetAddress = (text: string): boolean => {
  const url = URL.parse(text);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
};

const price = z
  .string()
  .regex(/^[1-9]\d{0,7}$/, { error: "must be a whole number in the currency's smallest unit, such as 4900" })
  .transform(Number);

const slots = z
  .string()
  .regex(/^(?:unlimited|\d{1,4})$/, { error: 'must be a number of slots or "unlimited"' })
  .transform((value) => (value === 'unlimited' ? null : Number(value)));

const rateTier = z
  .string()
  .regex(/^\d{1,9}\/\d{1,6}$/, { error: 'must be count/seconds, such as 600/60' })
  .transform((value) => {
    const [count = 0, windowSeconds = 0] = value.split('/').map(Number);
    return { count, windowSeconds };
  })
  .refine((tier) => tier.windowSeconds > 0, { error: 'must have a window of at least one second' });

const numberUpTo = (max: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,4}$/, { error: `must be a number from 1 to ${max}` })
    .transform(Number)
    .refine((value) => value <= max, { error: `must be a number from 1 to ${max}` });

// One schema for all switches: schemas are created at every cold start.
const onOff = z.enum(['on', 'off'], { error: 'must be on or off' }).transform((value) => value === 'on');
const onByDefault = onOff.prefault('on');
const offByDefault = onOff.prefault('off');

/** Every call of the AI feature costs money, and moderators get rights, so both are opt-in. */
const OPT_IN: ReadonlySet<Feature> = new Set(['ai', 'moderators']);

const schema = z.object({
  TABLE_NAME: z.string({ error: 'is the name of the DynamoDB table and must be set' }),
  FEED_SHARDS: numberUpTo(8).prefault('1'),
  STAGE: z.string().default('local'),
  BUS_NAME: z.string().optional(),
  MAIL_FROM: z
    .string()
    .transform((value, { issues }) => {
      const [, name, bare] = /^([^<>]*)<([^<>]+)>$/.exec(value) ?? [];
      const sendable = sendableAddress(bare ?? value);
      if (sendable !== undefined) return name === undefined ? sendable : `${name}<${sendable}>`;
      issues.push({
        code: 'custom',
        message: 'must be an address, such as Directory <directory@example.com>',
        input: value,
      });
      return z.NEVER;
    })
    .optional(),
  MAIL_CONFIGURATION_SET: z.string().optional(),
  SITE_NAME: z.string().default('Directory'),
  SITE_URL: webAddress.prefault('http://localhost:3000').transform((value) => value.replace(/\/+$/, '')),
  ADMIN_EMAILS: listOf(isMailAddress, 'an email address').transform((addresses) => addresses.map(asciiLowerCase)),
  RATE_COUNTER: z.enum(['table', 'memory'], { error: 'must be table or memory' }).default('table'),
  RATE_COUNTER_TIMEOUT_MS: numberUpTo(99_999).prefault('300'),
  TABLE_TIMEOUT_MS: numberUpTo(30_000).prefault('5000'),
  TRUSTED_PROXIES: listOf(isAddressRange, 'an address range, such as 10.0.0.0/8'),
  ALLOWED_ORIGINS: listOf((origin) => URL.parse(origin)?.origin === origin, 'an origin, such as https://shop.example'),
  AI_MODEL: z.string().optional(),
  AI_BASE_URL: webAddress.transform((value) => value.replace(/\/+$/, '')).optional(),
  LIVE_EDITS: z
    .enum(['immediate', 'review_material', 'review'], { error: 'must be immediate, review_material or review' })
    .default('immediate'),
  VERIFIED_EMAIL_REQUIRED: z
    .enum(['none', 'submit', 'write'], { error: 'must be none, submit or write' })
    .default('none'),
  DUPLICATE_URLS: z.enum(['allow', 'reject'], { error: 'must be allow or reject' }).default('allow'),
  SITE_INDEX: onOff.optional(),
  INDEXNOW_KEY: z
    .string()
    .regex(/^[a-zA-Z0-9-]{8,128}$/, { error: 'must be 8 to 128 letters, digits and hyphens' })
    .optional(),
  INDEXNOW_ENDPOINT: webAddress.default('https://api.indexnow.org/indexnow'),
  MAP_STYLE_URL: webAddress.optional(),
  SITE_LANGUAGES: listOf(isLanguage, `one of ${languages.join(', ')}`)
    .refine((values) => new Set(values).size === values.length, { error: 'names a language twice' })
    .transform((values): readonly Language[] => (values.length === 0 ? ['en'] : (values as readonly Language[]))),
  SEARCH_LONG_DESCRIPTION: offByDefault,
  HTTPS_ONLY: offByDefault,
  WEBHOOK_ALLOW_PRIVATE: offByDefault,
  CLAIM_DNS_SERVER: z
    .string()
    .refine(isNameServer, { error: 'must be an IP address, with a port if it is not 53' })
    .optional(),
  LOCAL_SCHEDULES: offByDefault,
  LOCAL_LINKS: offByDefault,
  DEAD_LETTER_QUEUES: list.transform((entries) => entries.map(deadLetterQueue)),
  USER_POOL_ID: z.string().optional(),
  WEBHOOK_KEY_ID: z.string().optional(),
  UPLOAD_BUCKET: z.string().optional(),
  OIDC_ISSUER: z.string().optional(),
  OIDC_AUDIENCES: list,
  OIDC_JWKS_URI: z.string().refine(isKeySetAddress, { error: 'must be an https address' }).optional(),
  SIGN_IN_ISSUER: z.string().optional(),
  SIGN_IN_CLIENT_ID: z.string().optional(),
  SIGN_IN_AUTHORIZATION_URL: webAddress.optional(),
  SIGN_IN_TOKEN_URL: webAddress.optional(),
  SIGN_IN_END_SESSION_URL: webAddress.optional(),
  SIGN_IN_PARAMETERS: z.string().default(''),
  PREMIUM_PRICE: price.prefault('4900'),
  CURRENCY: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[a-z]{3}$/, { error: 'must be three letters, such as usd' })
    .prefault('usd'),
  CHECKOUT_SUCCESS_URL: webAddress.optional(),
  CHECKOUT_CANCEL_URL: webAddress.optional(),
  STRIPE_API_BASE: webAddress.optional(),
  // Objects have one variable per member, such as `PROMOTION_PRICE_BANNER`. Prices are per month.
  PROMOTION_PRICE: z.object({
    banner: price.prefault('6900'),
    catalog: price.prefault('3900'),
    detail: price.prefault('1900'),
  }),
  PROMOTION_SLOTS: z.object({
    banner: slots.prefault('1'),
    catalog: slots.prefault('unlimited'),
    detail: slots.prefault('unlimited'),
  }),
  RATE_LIMIT: z.object({
    general: rateTier.prefault('600/60'),
    voting: rateTier.prefault('60/60'),
    auth: rateTier.prefault('20/60'),
    submission: rateTier.prefault('30/600'),
    admin: rateTier.prefault('300/60'),
    analytics: rateTier.prefault('600/60'),
    comments: rateTier.prefault('30/60'),
  }),
  FEATURE: z.object(
    Object.fromEntries(features.map((name) => [name, OPT_IN.has(name) ? offByDefault : onByDefault])) as Record<
      Feature,
      typeof onByDefault
    >,
  ),
});

const variable = (...path: readonly PropertyKey[]): string => path.join('_').toUpperCase();

const groups: readonly (readonly [string, readonly string[]])[] = Object.entries(schema.shape).flatMap(
  ([name, value]) => (value instanceof z.ZodObject ? [[name, Object.keys(value.shape)]] : []),
);

export const variableNames = (): readonly string[] =>
  Object.keys(schema.shape).flatMap((name) => {
    const [, members] = groups.find(([group]) => group === name) ?? [];
    return members?.map((member) => variable(name, member)) ?? name;
  });

/** Environment variables are missing or invalid; the message has one sentence for each of them. */
export class InvalidEnvironment extends Error {
  override readonly name = 'InvalidEnvironment';

  constructor(problems: readonly string[]) {
    super(`Invalid environment: ${problems.join('. ')}.`);
  }
}

type Variables = Readonly<Record<string, string | undefined>>;

const jointProblems = ({ OIDC_ISSUER: issuer, OIDC_AUDIENCES: audiences, OIDC_JWKS_URI: jwksUri }: Variables) => {
  if (issuer === undefined && jwksUri === undefined && audiences === undefined) return [];
  if (issuer === undefined || jwksUri === undefined) return ['OIDC_ISSUER and OIDC_JWKS_URI must be set together'];
  // Without an audience, tokens that the issuer signed for any other application would be accepted.
  return /[^\s,]/.test(audiences ?? '') ? [] : ['OIDC_AUDIENCES must name at least one audience'];
};

/** The issuer of access tokens; undefined for functions without authentication. */
const identityOf = ({ OIDC_ISSUER: issuer, OIDC_AUDIENCES: audiences, OIDC_JWKS_URI: jwksUri }: Parsed) =>
  issuer === undefined || jwksUri === undefined ? undefined : { issuer, audiences, jwksUri };

/** How a browser obtains an access token. Addresses that are null are in the issuer's discovery document. */
const signInOf = (parsed: Parsed) => {
  const issuer = parsed.SIGN_IN_ISSUER ?? parsed.OIDC_ISSUER;
  if (issuer === undefined) return undefined;
  return {
    issuer,
    clientId: parsed.SIGN_IN_CLIENT_ID ?? null,
    authorizationUrl: parsed.SIGN_IN_AUTHORIZATION_URL ?? null,
    tokenUrl: parsed.SIGN_IN_TOKEN_URL ?? null,
    endSessionUrl: parsed.SIGN_IN_END_SESSION_URL ?? null,
    /** Further parameters of the authorization request, as in a query. */
    parameters: parsed.SIGN_IN_PARAMETERS,
  };
};

type Parsed = z.output<typeof schema>;

/** The features that are on, and those that they need too. */
const availableFeatures = (isOn: Parsed['FEATURE']): Parsed['FEATURE'] => {
  const available = { ...isOn };
  for (const name of features) {
    const needed = neededFeatures[name];
    if (needed && !isOn[needed]) available[name] = false;
  }
  return available;
};

const environmentOf = (parsed: Parsed) => ({
  table: parsed.TABLE_NAME,
  /** How many partitions of the feed this stage writes to, from the first one. */
  feedShards: parsed.FEED_SHARDS,
  /** The name of this environment; `local` on one machine. */
  stage: parsed.STAGE,
  bus: parsed.BUS_NAME,
  mailFrom: parsed.MAIL_FROM,
  mailConfigurationSet: parsed.MAIL_CONFIGURATION_SET,
  /** The name of the directory in mail and links. */
  siteName: parsed.SITE_NAME,
  /** The address of the front end without a trailing slash; links in mail begin with it. */
  siteUrl: parsed.SITE_URL,
  /** Whether search engines may show the pages. */
  siteIndex: parsed.SITE_INDEX ?? parsed.SITE_URL.startsWith('https:'),
  /** How search engines learn of changes; undefined without a key. The key is public. */
  indexNow:
    parsed.INDEXNOW_KEY === undefined ? undefined : { key: parsed.INDEXNOW_KEY, endpoint: parsed.INDEXNOW_ENDPOINT },
  /** The style of the map of the pages; undefined for the built-in outlines. */
  mapStyleUrl: parsed.MAP_STYLE_URL,
  /** The languages of the pages; those of the first one have no prefix in their addresses. */
  siteLanguages: parsed.SITE_LANGUAGES,
  identity: identityOf(parsed),
  signIn: signInOf(parsed),
  /** The user pool whose accounts erasures delete. */
  userPool: parsed.USER_POOL_ID,
  /** Lower-case addresses whose users become administrators when their record is created. */
  adminEmails: parsed.ADMIN_EMAILS as readonly string[],
  /** The number of requests per window and client address. */
  tiers: parsed.RATE_LIMIT,
  /** Where requests are counted; in memory only when this is the only process. */
  rateCounter: parsed.RATE_COUNTER,
  /** How long a request waits for the rate counter before it passes uncounted. */
  rateCounterTimeoutMs: parsed.RATE_COUNTER_TIMEOUT_MS,
  /** Of an attempt of a request to the table: less than the changes that readers of the feed read twice. */
  tableTimeoutMs: parsed.TABLE_TIMEOUT_MS,
  features: availableFeatures(parsed.FEATURE),
  /** The language model, without `baseUrl` one of Amazon Bedrock; undefined when none is configured. */
  ai: parsed.AI_MODEL === undefined ? undefined : { model: parsed.AI_MODEL, baseUrl: parsed.AI_BASE_URL },
  /** Address ranges whose `X-Forwarded-For` is trusted. */
  trustedProxies: parsed.TRUSTED_PROXIES as readonly string[],
  /** Origins that may send credentialed cross-origin requests. */
  allowedOrigins: parsed.ALLOWED_ORIGINS as readonly string[],
  duplicateUrls: parsed.DUPLICATE_URLS,
  /** Whether searches by words also search long descriptions. */
  searchLongDescriptions: parsed.SEARCH_LONG_DESCRIPTION,
  /** When edits of live projects by their owners are published. */
  liveEdits: parsed.LIVE_EDITS,
  /** What users need a verified email address for. */
  verifiedEmailRequired: parsed.VERIFIED_EMAIL_REQUIRED,
  /** Whether responses instruct browsers to use https only. */
  httpsOnly: parsed.HTTPS_ONLY,
  /** Whether webhooks may target private addresses and plain http; for tests on one machine. */
  webhookAllowPrivate: parsed.WEBHOOK_ALLOW_PRIVATE,
  /** The name server that is asked for the proofs of claims; those of the system by default. */
  claimDnsServer: parsed.CLAIM_DNS_SERVER,
  /** Whether the jobs follow the schedules of the local server instead of those that are deployed. */
  localSchedules: parsed.LOCAL_SCHEDULES,
  /** Whether pages end with links to the parts of the local server. */
  localLinks: parsed.LOCAL_LINKS,
  /** The queues with the events that subscribers failed to process. */
  deadLetterQueues: parsed.DEAD_LETTER_QUEUES as readonly DeadLetterQueue[],
  /** The id or ARN of the key that encrypts webhook secrets. */
  webhookKey: parsed.WEBHOOK_KEY_ID,
  uploadBucket: parsed.UPLOAD_BUCKET,
  payments: {
    premiumPrice: parsed.PREMIUM_PRICE,
    /** ISO 4217 in lower case. */
    currency: parsed.CURRENCY,
    /** Where the payment page redirects to; `{checkout}` stands for the checkout's id. */
    successUrl: parsed.CHECKOUT_SUCCESS_URL ?? `${parsed.SITE_URL}/checkout/success?checkout={checkout}`,
    cancelUrl: parsed.CHECKOUT_CANCEL_URL ?? `${parsed.SITE_URL}/checkout/cancel?checkout={checkout}`,
    apiBase: parsed.STRIPE_API_BASE,
  },
  promotions: {
    monthlyPrices: parsed.PROMOTION_PRICE,
    /** The number of simultaneous promotions per placement; null for no limit. */
    slots: parsed.PROMOTION_SLOTS,
  },
});

/** What functions do not have is undefined. */
export type Environment = Readonly<ReturnType<typeof environmentOf>>;

/**
 * Validates environment variables. An empty one counts as unset.
 * @param otherProblems of variables that only the caller reads; they are reported together with those found here.
 * @throws {InvalidEnvironment}
 */
export const readEnvironment = (variables: Variables, otherProblems: readonly string[] = []): Environment => {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const grouped = groups.map(([name, members]) => [
    name,
    Object.fromEntries(members.map((member) => [member, given[variable(name, member)]])),
  ]);
  // Runs once per process: compiling a parser would take longer than interpreting the schema.
  const parsed = schema.safeParse({ ...given, ...Object.fromEntries(grouped) }, { jitless: true });
  const problems = [
    ...otherProblems,
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${variable(...path)} ${message}`),
    ...jointProblems(given),
  ];
  if (!parsed.success || problems.length > 0) throw new InvalidEnvironment(problems);
  return environmentOf(parsed.data);
};

let current: Environment | undefined;

/**
 * The environment of this process, read at the first call; a change takes effect after a restart.
 * @throws {InvalidEnvironment}
 */
export const environment = (): Environment => {
  current ??= readEnvironment(process.env);
  return current;
};

/** The folder of the built console, where the local server sets it. */
export const consoleFolder = (): string | undefined => process.env.CONSOLE_FOLDER || undefined;

/** The folder of the built files of the pages, where the local server sets it. */
export const siteFolder = (): string | undefined => process.env.SITE_FOLDER || undefined;

/** The memory of the function in MB; on one machine that of the largest function. */
export const functionMemoryMb = (): number => Number(process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? 10_240);
