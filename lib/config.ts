import * as z from 'zod';
import { Placement } from '#contract/placement.ts';
import { features, type Tier, tiers } from '#contract/route.ts';
import { type StageOverrides, stageOverrides, standard } from './stages.ts';

/** How long CloudWatch keeps a log; it knows these numbers of days only. */
const LogDays = z.union([
  z.literal(3),
  z.literal(7),
  z.literal(14),
  z.literal(30),
  z.literal(90),
  z.literal(180),
  z.literal(365),
]);

const Megabytes = z.int().min(128).max(10_240);

const Origin = z.string().regex(/^https:\/\/[^/\s"$#]+$|^http:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/, {
  error: 'must be an origin without a path, such as https://directory.example (http for this machine only)',
});

const Address = z.email({ error: 'must be an e-mail address' });

const RateTier = z.string().regex(/^\d{1,9}\/\d{1,6}$/, { error: 'must be count/seconds, such as 600/60' });

const Throttle = z.strictObject({
  /** Requests per second that the gateway lets through on one method, all callers together. */
  ratePerSecond: z.number().positive(),
  /** How many may come at once before the rate counts. */
  burst: z.int().positive(),
});

const UsagePlan = z.strictObject({
  /** A word in PascalCase; it is part of construct ids. */
  id: z.string().regex(/^[A-Z][A-Za-z0-9]{0,30}$/, { error: 'must be a word in PascalCase' }),
  ratePerSecond: z.number().positive(),
  burst: z.int().positive(),
  requestsPerDay: z.int().positive(),
  /** Each gets an API key; the gateway makes its value. */
  clients: z.array(z.string().regex(/^[A-Z][A-Za-z0-9]{0,30}$/, { error: 'must be a word in PascalCase' })),
});

const Identity = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('cognito'),
    /** Where the hosted sign-in lives: `<prefix>.auth.<region>.amazoncognito.com`. Without it there is no hosted sign-in. */
    domainPrefix: z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/)
      .optional(),
  }),
  z.strictObject({
    kind: z.literal('oidc'),
    issuer: z.url({ protocol: /^https$/, error: 'must be an https address' }),
    audiences: z.array(z.string().min(1)),
    jwksUri: z.url({ protocol: /^https$/, error: 'must be an https address' }),
  }),
]);

const Config = z
  .strictObject({
    stage: z.string().regex(/^[a-z][a-z0-9-]{0,19}$/, {
      error: 'must begin with a letter and have at most 20 small letters, digits and hyphens',
    }),
    /** Whether the table, the users and the logs outlive their stacks. */
    retain: z.boolean(),
    /** Whether stacks, table and users refuse to be deleted. */
    protect: z.boolean(),
    pointInTimeRecovery: z.boolean(),
    logDays: LogDays,
    logLevel: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']),
    memoryMb: z.strictObject({
      /** Functions of routes. */
      request: Megabytes,
      /** Functions of routes that hold the catalog. */
      catalog: Megabytes,
      subscriber: Megabytes,
      publisher: Megabytes,
    }),
    site: z.strictObject({
      name: z.string().min(1).max(100),
      url: Origin,
    }),
    /** Pages of these origins may call with credentials. */
    allowedOrigins: z.array(Origin),
    /** Address ranges whose `X-Forwarded-For` is believed. */
    trustedProxies: z.array(
      z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: 'must be an address range' }),
    ),
    duplicateUrls: z.enum(['allow', 'reject']),
    payments: z.strictObject({
      /** What the premium plan costs, in the smallest unit of the currency. */
      premiumPrice: z.int().min(1).max(99_999_999),
      /** ISO 4217 in lower case. */
      currency: z.string().regex(/^[a-z]{3}$/, { error: 'must be three small letters, such as usd' }),
      /** Where buyers are sent afterwards, with `{checkout}` for the checkout's id; pages of the site when absent. */
      successUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
      cancelUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    }),
    /** What promotions cost a month, in the smallest unit of the currency, and how many a placement takes; else the defaults. */
    promotions: z.strictObject({
      monthlyPrices: z.partialRecord(Placement, z.int().min(1).max(99_999_999)),
      places: z.partialRecord(Placement, z.union([z.int().min(0).max(9999), z.literal('unlimited')])),
    }),
    /** The model that writes for users: Amazon Bedrock's by its id, or one behind an OpenAI-compatible address. None when absent. */
    ai: z
      .strictObject({
        model: z.string().min(1),
        baseUrl: z.url({ protocol: /^https$/, error: 'must be an https address' }).optional(),
      })
      .optional(),
    mail: z.strictObject({
      from: Address,
      /** What SES has verified: the sender's address or its domain. */
      identity: z.string().min(3),
      /** Whether this stage creates the identity, or finds it verified in the account. */
      createIdentity: z.boolean(),
    }),
    /** Whoever proves to own one of these addresses is an administrator from the first sight on. */
    adminEmails: z.array(Address),
    /** Switches; the others keep their default. */
    features: z.partialRecord(z.enum(features), z.boolean()),
    /** Limits per client address; the others keep their default. */
    rateLimits: z.partialRecord(z.enum(tiers), RateTier),
    /** What the gateway lets through per method, so that one tier's flood leaves the account some room. */
    throttles: z.record(z.enum([...tiers, 'none']), Throttle),
    usagePlans: z.array(UsagePlan),
    identity: Identity,
  })
  .refine((config) => !config.protect || config.retain, {
    error: 'cannot be false where protect is true',
    path: ['retain'],
  })
  .refine((config) => [config.mail.from, config.mail.from.split('@')[1]].includes(config.mail.identity), {
    error: 'must be the sender’s address or its domain',
    path: ['mail', 'identity'],
  });

/** What differs between the environments that this service is deployed to. No account number and no secret. */
export type Config = z.infer<typeof Config>;

/** A key of the gateway's throttles: a tier, or `none` for routes that have no tier. */
export type ThrottleName = Tier | 'none';

/**
 * The settings of a stage: those of `stages.ts` over the standard ones. A stage without an entry is a sandbox.
 * @param stage what was given as `-c stage=`.
 * @throws Error that says what is missing or names every setting that is wrong.
 */
export const configOf = (
  stage: unknown,
  overrides: Readonly<Record<string, StageOverrides>> = stageOverrides,
): Config => {
  if (typeof stage !== 'string' || stage === '') {
    throw new Error(
      'Say which environment is meant: npx cdk synth -c stage=dev (or staging, prod, or a name for a sandbox).',
    );
  }
  const known = Object.hasOwn(overrides, stage) ? overrides[stage] : undefined;
  const parsed = Config.safeParse({ ...standard, ...known, stage });
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the stage'}: ${issue.message}`);
    throw new Error(`The settings of stage "${stage}" in lib/stages.ts are not usable: ${wrong.join('; ')}.`);
  }
  return parsed.data;
};
