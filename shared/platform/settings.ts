import { isIP } from 'node:net';
import * as z from 'zod';
import { type Placement, placementNames } from '#contract/fields.ts';
import { type Feature, features, type Tier, tiers } from '#contract/route.ts';
import { asciiLowerCase } from '#model/identity.ts';

/** Configuration that differs between environments, read from environment variables once per process. */
export interface Settings {
  /** The name of the DynamoDB table. */
  readonly table: string;
  /** How many partitions of the feed this stage writes to, from the first one. */
  readonly feedShards: number;
  /** The name of this environment; `local` on one machine. */
  readonly stage: string;
  /** The name of the event bus; undefined for functions that do not publish. */
  readonly bus: string | undefined;
  /** The sender address of all mail. */
  readonly mailFrom: string | undefined;
  /** The SES configuration set of all mail; it publishes feedback events. */
  readonly mailConfigurationSet: string | undefined;
  /** The name of the directory in mail and links. */
  readonly siteName: string;
  /** The address of the front end without a trailing slash; links in mail begin with it. */
  readonly siteUrl: string;
  /** The trusted token issuer; undefined for functions without authentication. */
  readonly identity: TrustedIssuer | undefined;
  /** How browsers sign in; undefined for functions that do not return it. */
  readonly signIn: SignInSettings | undefined;
  /** The user pool whose accounts erasures delete; undefined without a pool and for other functions. */
  readonly userPool: string | undefined;
  /** Lower-case addresses whose users become administrators when their record is created. */
  readonly adminEmails: readonly string[];
  readonly tiers: Readonly<Record<Tier, RateTier>>;
  /** How many requests of a caller one counter write may prefetch; above 1 only when this is the only process. */
  readonly ratePrefetchMax: number;
  /** How long a request waits for the rate counter before it passes uncounted. */
  readonly rateCounterTimeoutMs: number;
  /** How long an attempt of a request to the table may take, in milliseconds: less than the changes that readers of the feed read twice. */
  readonly tableTimeoutMs: number;
  readonly features: Readonly<Record<Feature, boolean>>;
  /** The language model; undefined when none is configured. */
  readonly ai: ModelSettings | undefined;
  /** Address ranges whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Origins that may send credentialed cross-origin requests. */
  readonly allowedOrigins: readonly string[];
  readonly duplicateUrls: 'allow' | 'reject';
  /** When edits of live projects by their owners are published. */
  readonly liveEdits: 'immediate' | 'review_material' | 'review';
  /** Whether responses instruct browsers to use https only. */
  readonly httpsOnly: boolean;
  /** Whether webhooks may target private addresses and plain http; for tests on one machine. */
  readonly webhookAllowPrivate: boolean;
  /** The id or ARN of the key that encrypts webhook secrets; undefined for functions that do not use them. */
  readonly webhookKey: string | undefined;
  /** The bucket of uploaded files; undefined for functions that do not use it. */
  readonly uploadBucket: string | undefined;
  /** Whether the jobs follow the schedules of the local server instead of those that are deployed. */
  readonly localSchedules: boolean;
  /** The queues with the events that subscribers failed to process; empty for functions that do not read them. */
  readonly deadLetterQueues: readonly DeadLetterQueue[];
  readonly payments: PaymentSettings;
  readonly promotions: PromotionSettings;
}

/** A queue with the events that a subscriber failed to process. */
export interface DeadLetterQueue {
  /** The id of the subscriber. */
  readonly subscriber: string;
  readonly url: string;
}

/** The issuer of access tokens. */
interface TrustedIssuer {
  readonly issuer: string;
  /** Accepted values of `aud`, or of `client_id` in tokens without `aud`; at least one. */
  readonly audiences: readonly string[];
  readonly jwksUri: string;
}

/** How a browser obtains an access token. Addresses that are null are in the issuer's discovery document. */
interface SignInSettings {
  readonly issuer: string;
  readonly clientId: string | null;
  readonly authorizationUrl: string | null;
  readonly tokenUrl: string | null;
  readonly endSessionUrl: string | null;
}

/** The number of requests per window and client address. */
interface RateTier {
  readonly count: number;
  readonly windowSeconds: number;
}

interface ModelSettings {
  readonly model: string;
  /** The base URL of an OpenAI-compatible server; undefined for Amazon Bedrock. */
  readonly baseUrl: string | undefined;
}

interface PaymentSettings {
  /** The price of the premium plan in the smallest unit of the currency. */
  readonly premiumPrice: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
  /** Where the payment page redirects to; `{checkout}` stands for the checkout's id. */
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** The base URL of the payment API; undefined for Stripe's own. */
  readonly apiBase: string | undefined;
}

interface PromotionSettings {
  /** Per month, in the smallest unit of the currency. */
  readonly monthlyPrices: Readonly<Record<Placement, number>>;
  /** The number of simultaneous promotions per placement; null for no limit. */
  readonly slots: Readonly<Record<Placement, number | null>>;
}

/** Whether a text is an IP address or a range of them, such as `10.0.0.0/8`. */
const isAddressRange = (text: string): boolean => {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && (bits === undefined || Number(bits) <= (family === 6 ? 128 : 32));
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

/** An entry of `DEAD_LETTER_QUEUES`: `subscriber=url`. */
const deadLetterQueue = (entry: string): DeadLetterQueue => {
  const [subscriber = '', url = ''] = entry.split('=', 2);
  return { subscriber, url };
};

const webAddress = z
  .string()
  .refine((value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), { error: 'must be an http or https address' });

const LOOPBACK: ReadonlySet<string | undefined> = new Set(['localhost', '127.0.0.1', '[::1]']);

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
  .transform((value): RateTier => {
    const [count, windowSeconds] = value.split('/').map(Number) as [number, number];
    return { count, windowSeconds };
  })
  .refine((tier) => tier.windowSeconds > 0, { error: 'must have a window of at least one second' });

// One schema for all switches: schemas are created at every cold start.
const onOff = z.enum(['on', 'off'], { error: 'must be on or off' }).transform((value) => value === 'on');
const onByDefault = onOff.prefault('on');
const offByDefault = onOff.prefault('off');

type Variable<Prefix extends string, Name extends string> = `${Prefix}_${Uppercase<Name>}`;

const variable = <Prefix extends string, Name extends string>(prefix: Prefix, name: Name): Variable<Prefix, Name> =>
  `${prefix}_${name.toUpperCase() as Uppercase<Name>}`;

/** One variable per name, such as `RATE_LIMIT_VOTING` for `voting`. */
const perName = <Prefix extends string, Name extends string, Schema>(
  prefix: Prefix,
  names: readonly Name[],
  schemaOf: (name: Name) => Schema,
) =>
  Object.fromEntries(names.map((name) => [variable(prefix, name), schemaOf(name)])) as Record<
    Variable<Prefix, Name>,
    Schema
  >;

/** The values of these variables by name. */
const byName = <Prefix extends string, Name extends string, Value>(
  prefix: Prefix,
  names: readonly Name[],
  variables: Readonly<Record<Variable<Prefix, NoInfer<Name>>, Value>>,
) => Object.fromEntries(names.map((name) => [name, variables[variable(prefix, name)]])) as Record<Name, Value>;

const defaultTiers: Record<Tier, string> = {
  general: '600/60',
  voting: '60/60',
  auth: '20/60',
  submission: '30/600',
  admin: '300/60',
  analytics: '600/60',
  comments: '30/60',
};

const defaultMonthlyPrices: Record<Placement, string> = { banner: '6900', catalog: '3900', detail: '1900' };

const EnvironmentSchema = z.object({
  TABLE_NAME: z.string({ error: 'is the name of the DynamoDB table and must be set' }),
  FEED_SHARDS: z
    .string()
    .regex(/^[1-8]$/, { error: 'must be a number from 1 to 8' })
    .prefault('1')
    .transform(Number),
  STAGE: z.string().default('local'),
  BUS_NAME: z.string().optional(),
  MAIL_FROM: z
    .string()
    .refine((value) => isMailAddress(/^[^<>]*<([^<>]+)>$/.exec(value)?.[1] ?? value), {
      error: 'must be an address, such as Directory <directory@example.com>',
    })
    .optional(),
  MAIL_CONFIGURATION_SET: z.string().optional(),
  SITE_NAME: z.string().default('Directory'),
  SITE_URL: webAddress.prefault('http://localhost:3000').transform((value) => value.replace(/\/+$/, '')),
  ADMIN_EMAILS: listOf(isMailAddress, 'an email address').transform((addresses) => addresses.map(asciiLowerCase)),
  RATE_PREFETCH_MAX: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, { error: 'must be a number from 1 to 9999' })
    .prefault('1')
    .transform(Number),
  RATE_COUNTER_TIMEOUT_MS: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, { error: 'must be a number from 1 to 99999' })
    .prefault('300')
    .transform(Number),
  TABLE_TIMEOUT_MS: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, { error: 'must be a number from 1 to 30000' })
    .prefault('5000')
    .transform(Number)
    .refine((milliseconds) => milliseconds <= 30_000, { error: 'must be a number from 1 to 30000' }),
  TRUSTED_PROXIES: listOf(isAddressRange, 'an address range, such as 10.0.0.0/8'),
  ALLOWED_ORIGINS: listOf((origin) => URL.parse(origin)?.origin === origin, 'an origin, such as https://shop.example'),
  AI_MODEL: z.string().optional(),
  AI_BASE_URL: webAddress.transform((value) => value.replace(/\/+$/, '')).optional(),
  LIVE_EDITS: z
    .enum(['immediate', 'review_material', 'review'], { error: 'must be immediate, review_material or review' })
    .default('immediate'),
  DUPLICATE_URLS: z.enum(['allow', 'reject'], { error: 'must be allow or reject' }).default('allow'),
  HTTPS_ONLY: offByDefault,
  WEBHOOK_ALLOW_PRIVATE: offByDefault,
  LOCAL_SCHEDULES: offByDefault,
  DEAD_LETTER_QUEUES: list.transform((entries) => entries.map(deadLetterQueue)),
  USER_POOL_ID: z.string().optional(),
  WEBHOOK_KEY_ID: z.string().optional(),
  UPLOAD_BUCKET: z.string().optional(),
  OIDC_ISSUER: z.string().optional(),
  OIDC_AUDIENCES: list,
  OIDC_JWKS_URI: z.string().refine(isKeySetAddress, { error: 'must be an https address' }).optional(),
  SIGN_IN_ISSUER: z.string().optional(),
  SIGN_IN_CLIENT_ID: z.string().optional(),
  SIGN_IN_AUTHORIZATION_URL: z.string().optional(),
  SIGN_IN_TOKEN_URL: z.string().optional(),
  SIGN_IN_END_SESSION_URL: z.string().optional(),
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
  ...perName('PROMOTION_PRICE', placementNames, (name) => price.prefault(defaultMonthlyPrices[name])),
  ...perName('PROMOTION_SLOTS', placementNames, (name) => slots.prefault(name === 'banner' ? '1' : 'unlimited')),
  ...perName('RATE_LIMIT', tiers, (tier) => rateTier.prefault(defaultTiers[tier])),
  // Every call of the AI feature costs money, and moderators get rights, so both are opt-in.
  ...perName('FEATURE', features, (feature) =>
    feature === 'ai' || feature === 'moderators' ? offByDefault : onByDefault,
  ),
});

type Variables = z.output<typeof EnvironmentSchema>;

/** The names of all variables that settings are read from. */
export const settingNames: readonly string[] = Object.keys(EnvironmentSchema.shape);

/** Environment variables are missing or invalid; the message has one sentence for each of them. */
export class InvalidEnvironment extends Error {
  override readonly name = 'InvalidEnvironment';

  constructor(problems: readonly string[]) {
    super(`Invalid environment: ${problems.join('. ')}.`);
  }
}

const identityOf = (variables: Variables): TrustedIssuer | undefined => {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCES: audiences, OIDC_JWKS_URI: jwksUri } = variables;
  return issuer === undefined || jwksUri === undefined ? undefined : { issuer, audiences, jwksUri };
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Problems of several variables together. */
const jointProblems = ({ OIDC_ISSUER: issuer, OIDC_AUDIENCES: audiences, OIDC_JWKS_URI: jwksUri }: Environment) => {
  if (issuer === undefined && jwksUri === undefined) return [];
  if (issuer === undefined || jwksUri === undefined) return ['OIDC_ISSUER and OIDC_JWKS_URI must be set together'];
  // Without an audience, tokens that the issuer signed for any other application would be accepted.
  return /[^\s,]/.test(audiences ?? '') ? [] : ['OIDC_AUDIENCES must name at least one audience'];
};

const signInOf = (variables: Variables): SignInSettings | undefined => {
  const issuer = variables.SIGN_IN_ISSUER ?? variables.OIDC_ISSUER;
  return issuer === undefined
    ? undefined
    : {
        issuer,
        clientId: variables.SIGN_IN_CLIENT_ID ?? null,
        authorizationUrl: variables.SIGN_IN_AUTHORIZATION_URL ?? null,
        tokenUrl: variables.SIGN_IN_TOKEN_URL ?? null,
        endSessionUrl: variables.SIGN_IN_END_SESSION_URL ?? null,
      };
};

/**
 * Validates environment variables. An empty one counts as unset.
 * @param otherProblems of variables that only the caller reads; they are reported together with those found here.
 * @throws {InvalidEnvironment}
 */
export const readSettings = (environment: Environment, otherProblems: readonly string[] = []): Settings => {
  // Runs once per process: compiling a parser would take longer than interpreting the schema.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = EnvironmentSchema.safeParse(given, { jitless: true });
  const problems = [
    ...otherProblems,
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`),
    ...jointProblems(given),
  ];
  if (!parsed.success || problems.length > 0) throw new InvalidEnvironment(problems);
  const variables = parsed.data;
  const siteUrl = variables.SITE_URL;
  return {
    table: variables.TABLE_NAME,
    feedShards: variables.FEED_SHARDS,
    stage: variables.STAGE,
    bus: variables.BUS_NAME,
    mailFrom: variables.MAIL_FROM,
    mailConfigurationSet: variables.MAIL_CONFIGURATION_SET,
    siteName: variables.SITE_NAME,
    siteUrl,
    identity: identityOf(variables),
    signIn: signInOf(variables),
    userPool: variables.USER_POOL_ID,
    adminEmails: variables.ADMIN_EMAILS,
    tiers: byName('RATE_LIMIT', tiers, variables),
    ratePrefetchMax: variables.RATE_PREFETCH_MAX,
    rateCounterTimeoutMs: variables.RATE_COUNTER_TIMEOUT_MS,
    tableTimeoutMs: variables.TABLE_TIMEOUT_MS,
    features: byName('FEATURE', features, variables),
    ai: variables.AI_MODEL === undefined ? undefined : { model: variables.AI_MODEL, baseUrl: variables.AI_BASE_URL },
    trustedProxies: variables.TRUSTED_PROXIES,
    allowedOrigins: variables.ALLOWED_ORIGINS,
    duplicateUrls: variables.DUPLICATE_URLS,
    liveEdits: variables.LIVE_EDITS,
    httpsOnly: variables.HTTPS_ONLY,
    webhookAllowPrivate: variables.WEBHOOK_ALLOW_PRIVATE,
    localSchedules: variables.LOCAL_SCHEDULES,
    deadLetterQueues: variables.DEAD_LETTER_QUEUES,
    webhookKey: variables.WEBHOOK_KEY_ID,
    uploadBucket: variables.UPLOAD_BUCKET,
    payments: {
      premiumPrice: variables.PREMIUM_PRICE,
      currency: variables.CURRENCY,
      successUrl: variables.CHECKOUT_SUCCESS_URL ?? `${siteUrl}/checkout/success?checkout={checkout}`,
      cancelUrl: variables.CHECKOUT_CANCEL_URL ?? `${siteUrl}/checkout/cancel?checkout={checkout}`,
      apiBase: variables.STRIPE_API_BASE,
    },
    promotions: {
      monthlyPrices: byName('PROMOTION_PRICE', placementNames, variables),
      slots: byName('PROMOTION_SLOTS', placementNames, variables),
    },
  };
};

let current: Settings | undefined;

/**
 * The settings of this process, read at the first call; a change takes effect after a restart.
 * @param otherProblems as in `readSettings`.
 * @throws {InvalidEnvironment}
 */
export const settings = (otherProblems?: readonly string[]): Settings => {
  current ??= readSettings(process.env, otherProblems);
  return current;
};
