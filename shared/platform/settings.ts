import * as z from 'zod';
import type { Feature, Tier } from '#contract/route.ts';
import { featuresOf, featureVariables } from './settings/features.ts';
import { issuerOf, issuerVariables, type TrustedIssuer } from './settings/identity.ts';
import { type PaymentSettings, paymentsOf, paymentVariables } from './settings/payments.ts';
import { type PromotionSettings, promotionsOf, promotionVariables } from './settings/promotions.ts';
import { type RateTier, ratesOf, rateVariables } from './settings/rates.ts';
import { list, offUnlessSaid, webAddress } from './settings/values.ts';

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
  readonly ai: ModelSettings | undefined;
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

/** Which language model is asked. */
export interface ModelSettings {
  readonly model: string;
  /** Of an OpenAI-compatible server; Amazon Bedrock without. */
  readonly baseUrl: string | undefined;
}

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
  ...issuerVariables,
  ...paymentVariables,
  ...promotionVariables,
  ...rateVariables,
  ...featureVariables,
});

/** The names of all variables that settings are read from. */
export const settingNames: readonly string[] = Object.keys(Environment.shape);

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
    tiers: ratesOf(variables),
    rateLeaseMax: variables.RATE_LEASE_MAX,
    features: featuresOf(variables),
    ai: variables.AI_MODEL === undefined ? undefined : { model: variables.AI_MODEL, baseUrl: variables.AI_BASE_URL },
    trustedProxies: variables.TRUSTED_PROXIES,
    allowedOrigins: variables.ALLOWED_ORIGINS,
    duplicateUrls: variables.DUPLICATE_URLS,
    webhookAllowPrivate: variables.WEBHOOK_ALLOW_PRIVATE,
    payments: paymentsOf(variables, variables.SITE_URL),
    promotions: promotionsOf(variables),
  };
};

let current: Settings | undefined;

/** The settings of this process, read at the first call. */
export const settings = (): Settings => {
  current ??= readSettings(process.env);
  return current;
};
