import * as z from 'zod';
import { type Placement, placementNames } from '#contract/placement.ts';
import { type Feature, features, type Tier, tiers } from '#contract/route.ts';

/**
 * What differs between environments, read from the process's environment once and checked.
 * A change takes effect after a restart.
 */
export interface Settings {
  readonly table: string;
  /** The name of this environment; `local` on one machine. */
  readonly stage: string;
  /** The bus that events are put on; only functions that need it have one. */
  readonly bus: string | undefined;
  /** The sender's address of all mail. */
  readonly mailFrom: string | undefined;
  /** The configuration set that all mail is sent with: what becomes of it is reported by it. */
  readonly mailConfigurationSet: string | undefined;
  /** What mails and links call this directory. */
  readonly siteName: string;
  /** The address of the front end, without a slash at the end; links in mails begin with it. */
  readonly siteUrl: string;
  /** Whose tokens are believed; only functions with a login are told. */
  readonly identity: TrustedIssuer | undefined;
  /** Lower-case addresses whose owners become administrators at first sight. */
  readonly adminEmails: readonly string[];
  readonly tiers: Readonly<Record<Tier, RateTier>>;
  /** How many requests of a caller may be counted ahead: more than one only in a process that is the only one. */
  readonly rateLeaseMax: number;
  readonly features: Readonly<Record<Feature, boolean>>;
  /** The language model that writes for users; undefined where none is configured. */
  readonly ai:
    | {
        readonly model: string /** Of an OpenAI-compatible server; Amazon Bedrock without. */;
        readonly baseUrl: string | undefined;
      }
    | undefined;
  /** Address ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Origins that may call with credentials from a browser. */
  readonly allowedOrigins: readonly string[];
  readonly duplicateUrls: 'allow' | 'reject';
  /** Whether webhooks may lead to this machine, also over plain http: for rehearsals on one machine. */
  readonly webhookAllowPrivate: boolean;
  readonly payments: PaymentSettings;
  readonly promotions: PromotionSettings;
}

/** What buyers are asked for, and where they are sent. */
export interface PaymentSettings {
  /** What the premium plan costs, in the smallest unit of the currency. */
  readonly premiumPrice: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
  /** Where the payment page sends its buyer afterwards; `{checkout}` stands for the checkout's id. */
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** Another place than Stripe's own for its API. */
  readonly apiBase: string | undefined;
}

/** What promotions cost and how many there can be. */
export interface PromotionSettings {
  /** Per month, in the smallest unit of the currency. */
  readonly monthlyPrices: Readonly<Record<Placement, number>>;
  /** How many promotions each placement takes at a time; null for any number. */
  readonly places: Readonly<Record<Placement, number | null>>;
}

/** The issuer of access tokens. */
export interface TrustedIssuer {
  readonly issuer: string;
  /** Accepted values of `aud`, or of `client_id` where a token has no `aud`. Empty: any client of the issuer. */
  readonly audiences: readonly string[];
  readonly jwksUri: string;
}

/** How many requests one client address has per window. */
export interface RateTier {
  readonly count: number;
  readonly windowSeconds: number;
}

const defaultTiers: Record<Tier, string> = {
  general: '600/60',
  voting: '60/60',
  auth: '20/60',
  submission: '30/600',
  admin: '300/60',
  analytics: '600/60',
  comments: '30/60',
};

const list = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

const rate = z
  .string()
  .regex(/^\d{1,9}\/\d{1,6}$/, { error: 'must be count/seconds, such as 600/60' })
  .transform((value): RateTier => {
    const [count, windowSeconds] = value.split('/').map(Number) as [number, number];
    return { count, windowSeconds };
  })
  .refine((tier) => tier.windowSeconds > 0, { error: 'must have a window of at least one second' });

const webAddress = z
  .string()
  .refine((value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), { error: 'must be an http or https address' });

const onOff = z.enum(['on', 'off']).transform((value) => value === 'on');

// Made once for all switches: what is made here is made at every start of every function.
const onUnlessSaid = onOff.prefault('on');
const offUnlessSaid = onOff.prefault('off');

const price = z
  .string()
  .regex(/^[1-9]\d{0,7}$/, { error: "must be a whole number in the currency's smallest unit, such as 6900" })
  .transform(Number);

const places = z
  .string()
  .regex(/^(?:unlimited|\d{1,4})$/, { error: 'must be a number of places or "unlimited"' })
  .transform((value) => (value === 'unlimited' ? null : Number(value)));

const monthlyPrices: Record<Placement, string> = { banner: '6900', catalog: '3900', detail: '1900' };

const Environment = z.object({
  TABLE_NAME: z.string({ error: 'is the name of the DynamoDB table and must be set' }).min(1),
  STAGE: z.string().min(1).default('local'),
  BUS_NAME: z.string().min(1).optional(),
  MAIL_FROM: z.string().min(3).optional(),
  MAIL_CONFIGURATION_SET: z.string().min(1).optional(),
  SITE_NAME: z.string().min(1).default('Directory'),
  SITE_URL: z
    .string()
    .default('http://localhost:3000')
    .transform((value) => value.replace(/\/+$/, '')),
  OIDC_ISSUER: z.string().min(1).optional(),
  OIDC_AUDIENCES: list,
  OIDC_JWKS_URI: z.string().min(1).optional(),
  ADMIN_EMAILS: list.transform((addresses) => addresses.map((address) => address.toLowerCase())),
  RATE_LEASE_MAX: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, { error: 'must be a number from 1 to 9999' })
    .prefault('1')
    .transform(Number),
  TRUSTED_PROXIES: list,
  ALLOWED_ORIGINS: list,
  AI_MODEL: z.string().min(1).optional(),
  AI_BASE_URL: webAddress.transform((value) => value.replace(/\/+$/, '')).optional(),
  DUPLICATE_URLS: z.enum(['allow', 'reject']).default('allow'),
  WEBHOOK_ALLOW_PRIVATE: offUnlessSaid,
  PREMIUM_PRICE: z
    .string()
    .regex(/^[1-9]\d{0,7}$/, { error: "must be a whole number in the currency's smallest unit, such as 4900" })
    .prefault('4900')
    .transform(Number),
  CURRENCY: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[a-z]{3}$/, { error: 'must be three letters, such as usd' })
    .prefault('usd'),
  CHECKOUT_SUCCESS_URL: webAddress.optional(),
  CHECKOUT_CANCEL_URL: webAddress.optional(),
  STRIPE_API_BASE: webAddress.optional(),
  ...(Object.fromEntries(
    placementNames.map((name) => [`PROMOTION_PRICE_${name.toUpperCase()}`, price.prefault(monthlyPrices[name])]),
  ) as Record<`PROMOTION_PRICE_${Uppercase<Placement>}`, ReturnType<typeof price.prefault>>),
  ...(Object.fromEntries(
    placementNames.map((name) => [
      `PROMOTION_SLOTS_${name.toUpperCase()}`,
      places.prefault(name === 'banner' ? '1' : 'unlimited'),
    ]),
  ) as Record<`PROMOTION_SLOTS_${Uppercase<Placement>}`, ReturnType<typeof places.prefault>>),
  ...(Object.fromEntries(
    tiers.map((tier) => [`RATE_LIMIT_${tier.toUpperCase()}`, rate.prefault(defaultTiers[tier])]),
  ) as Record<`RATE_LIMIT_${Uppercase<Tier>}`, ReturnType<typeof rate.prefault>>),
  ...(Object.fromEntries(
    features.map((feature) => [`FEATURE_${feature.toUpperCase()}`, feature === 'ai' ? offUnlessSaid : onUnlessSaid]),
  ) as Record<`FEATURE_${Uppercase<Feature>}`, ReturnType<typeof onOff.prefault>>),
});

/** The names of all variables that settings are read from. */
export const settingNames: readonly string[] = Object.keys(Environment.shape);

const issuerOf = (variables: z.output<typeof Environment>): TrustedIssuer | undefined => {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCES: audiences, OIDC_JWKS_URI: jwksUri } = variables;
  if (issuer === undefined && jwksUri === undefined) return undefined;
  if (issuer === undefined || jwksUri === undefined) {
    throw new Error('The environment is not usable: OIDC_ISSUER and OIDC_JWKS_URI come together or not at all.');
  }
  return { issuer, audiences, jwksUri };
};

/**
 * Checks an environment.
 * @throws Error that names every variable that is missing or wrong.
 */
export const readSettings = (environment: Readonly<Record<string, string | undefined>>): Settings => {
  // Once in the life of a process: to compile a reader for it would take longer than to read it.
  const parsed = Environment.safeParse(environment, { jitless: true });
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
    throw new Error(`The environment is not usable: ${wrong.join('; ')}.`);
  }
  const variables = parsed.data;
  return {
    table: variables.TABLE_NAME,
    stage: variables.STAGE,
    bus: variables.BUS_NAME,
    mailFrom: variables.MAIL_FROM,
    mailConfigurationSet: variables.MAIL_CONFIGURATION_SET,
    siteName: variables.SITE_NAME,
    siteUrl: variables.SITE_URL,
    identity: issuerOf(variables),
    adminEmails: variables.ADMIN_EMAILS,
    tiers: Object.fromEntries(
      tiers.map((tier) => [tier, variables[`RATE_LIMIT_${tier.toUpperCase() as Uppercase<Tier>}`]]),
    ) as Record<Tier, RateTier>,
    rateLeaseMax: variables.RATE_LEASE_MAX,
    features: Object.fromEntries(
      features.map((feature) => [feature, variables[`FEATURE_${feature.toUpperCase() as Uppercase<Feature>}`]]),
    ) as Record<Feature, boolean>,
    ai: variables.AI_MODEL === undefined ? undefined : { model: variables.AI_MODEL, baseUrl: variables.AI_BASE_URL },
    trustedProxies: variables.TRUSTED_PROXIES,
    allowedOrigins: variables.ALLOWED_ORIGINS,
    duplicateUrls: variables.DUPLICATE_URLS,
    webhookAllowPrivate: variables.WEBHOOK_ALLOW_PRIVATE,
    payments: {
      premiumPrice: variables.PREMIUM_PRICE,
      currency: variables.CURRENCY,
      successUrl: variables.CHECKOUT_SUCCESS_URL ?? `${variables.SITE_URL}/checkout/success?checkout={checkout}`,
      cancelUrl: variables.CHECKOUT_CANCEL_URL ?? `${variables.SITE_URL}/checkout/cancel?checkout={checkout}`,
      apiBase: variables.STRIPE_API_BASE,
    },
    promotions: {
      monthlyPrices: Object.fromEntries(
        placementNames.map((name) => [
          name,
          variables[`PROMOTION_PRICE_${name.toUpperCase() as Uppercase<Placement>}`],
        ]),
      ) as Record<Placement, number>,
      places: Object.fromEntries(
        placementNames.map((name) => [
          name,
          variables[`PROMOTION_SLOTS_${name.toUpperCase() as Uppercase<Placement>}`],
        ]),
      ) as Record<Placement, number | null>,
    },
  };
};

let current: Settings | undefined;

/** The settings of this process, read at the first call. */
export const settings = (): Settings => {
  current ??= readSettings(process.env);
  return current;
};
