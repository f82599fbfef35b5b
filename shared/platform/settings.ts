import * as z from 'zod';
import { type Feature, features, type Tier, tiers } from '#contract/route.ts';

/**
 * What differs between environments, read from the process's environment once and checked.
 * A change takes effect after a restart.
 */
export interface Settings {
  readonly table: string;
  /** The bus that events are put on; only functions that need it have one. */
  readonly bus: string | undefined;
  /** The sender's address of all mail. */
  readonly mailFrom: string | undefined;
  /** What mails and links call this directory. */
  readonly siteName: string;
  /** The address of the front end, without a slash at the end; links in mails begin with it. */
  readonly siteUrl: string;
  readonly identity: {
    readonly issuer: string;
    /** Accepted values of `aud`, or of `client_id` where a token has no `aud`. Empty: any client of the issuer. */
    readonly audiences: readonly string[];
    readonly jwksUri: string;
  };
  /** Lower-case addresses whose owners become administrators at first sight. */
  readonly adminEmails: readonly string[];
  readonly tiers: Readonly<Record<Tier, RateTier>>;
  readonly features: Readonly<Record<Feature, boolean>>;
  /** Address ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Origins that may call with credentials from a browser. */
  readonly allowedOrigins: readonly string[];
  readonly duplicateUrls: 'allow' | 'reject';
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

const onOff = z.enum(['on', 'off']).transform((value) => value === 'on');

const Environment = z.object({
  TABLE_NAME: z.string({ error: 'is the name of the DynamoDB table and must be set' }).min(1),
  BUS_NAME: z.string().min(1).optional(),
  MAIL_FROM: z.string().min(3).optional(),
  SITE_NAME: z.string().min(1).default('Directory'),
  SITE_URL: z
    .string()
    .default('http://localhost:3000')
    .transform((value) => value.replace(/\/+$/, '')),
  OIDC_ISSUER: z.string({ error: 'is the issuer of access tokens and must be set' }).min(1),
  OIDC_AUDIENCES: list,
  OIDC_JWKS_URI: z.string({ error: "is the address of the issuer's keys and must be set" }).min(1),
  ADMIN_EMAILS: list.transform((addresses) => addresses.map((address) => address.toLowerCase())),
  TRUSTED_PROXIES: list,
  ALLOWED_ORIGINS: list,
  DUPLICATE_URLS: z.enum(['allow', 'reject']).default('allow'),
  ...(Object.fromEntries(
    tiers.map((tier) => [`RATE_LIMIT_${tier.toUpperCase()}`, rate.prefault(defaultTiers[tier])]),
  ) as Record<`RATE_LIMIT_${Uppercase<Tier>}`, ReturnType<typeof rate.prefault>>),
  ...(Object.fromEntries(
    features.map((feature) => [`FEATURE_${feature.toUpperCase()}`, onOff.prefault(feature === 'ai' ? 'off' : 'on')]),
  ) as Record<`FEATURE_${Uppercase<Feature>}`, ReturnType<typeof onOff.prefault>>),
});

/**
 * Checks an environment.
 * @throws Error that names every variable that is missing or wrong.
 */
export const readSettings = (environment: Readonly<Record<string, string | undefined>>): Settings => {
  const parsed = Environment.safeParse(environment);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
    throw new Error(`The environment is not usable: ${wrong.join('; ')}.`);
  }
  const variables = parsed.data;
  return {
    table: variables.TABLE_NAME,
    bus: variables.BUS_NAME,
    mailFrom: variables.MAIL_FROM,
    siteName: variables.SITE_NAME,
    siteUrl: variables.SITE_URL,
    identity: {
      issuer: variables.OIDC_ISSUER,
      audiences: variables.OIDC_AUDIENCES,
      jwksUri: variables.OIDC_JWKS_URI,
    },
    adminEmails: variables.ADMIN_EMAILS,
    tiers: Object.fromEntries(
      tiers.map((tier) => [tier, variables[`RATE_LIMIT_${tier.toUpperCase() as Uppercase<Tier>}`]]),
    ) as Record<Tier, RateTier>,
    features: Object.fromEntries(
      features.map((feature) => [feature, variables[`FEATURE_${feature.toUpperCase() as Uppercase<Feature>}`]]),
    ) as Record<Feature, boolean>,
    trustedProxies: variables.TRUSTED_PROXIES,
    allowedOrigins: variables.ALLOWED_ORIGINS,
    duplicateUrls: variables.DUPLICATE_URLS,
  };
};

let current: Settings | undefined;

/** The settings of this process, read at the first call. */
export const settings = (): Settings => {
  current ??= readSettings(process.env);
  return current;
};
