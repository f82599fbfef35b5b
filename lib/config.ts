import * as z from 'zod';
import { Placement } from '#contract/placement.ts';
import { features, tiers } from '#contract/route.ts';
import { Api, Throttle, UsagePlan } from './config/api.ts';
import { ArchiveDays, Backup, Encryption, LogDays } from './config/data.ts';
import { Address, Megabytes, Origin } from './config/fields.ts';
import { Identity } from './config/identity.ts';
import { doors } from './doors.ts';
import { type StageOverrides, stageOverrides, standard } from './stages.ts';

const RateTier = z.string().regex(/^\d{1,9}\/\d{1,6}$/, { error: 'must be count/seconds, such as 600/60' });

const Config = z
  .strictObject({
    stage: z.string().regex(/^[a-z][a-z0-9-]{0,19}$/, {
      error: 'must begin with a letter and have at most 20 small letters, digits and hyphens',
    }),
    /** Whether the table, the users and the logs outlive their stacks. */
    retain: z.boolean(),
    /** Whether stacks, table and users refuse to be deleted. */
    protect: z.boolean(),
    /** Whether the table can be restored as it was at any second of the last 35 days. */
    pointInTimeRecovery: z.boolean(),
    /** Backups beside it, in a vault of their own; none when absent. */
    backup: Backup.optional(),
    encryption: Encryption,
    /** How long what went over the bus can be replayed; no archive when absent. */
    archiveDays: ArchiveDays.optional(),
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
    /**
     * How many runs at once a function is guaranteed and limited to, by the id of its door. What is named here is taken
     * from what the account has for all the others.
     */
    reservedConcurrency: z.record(z.string(), z.int().min(1).max(10_000)),
    site: z.strictObject({
      name: z.string().min(1).max(100),
      url: Origin,
    }),
    api: Api,
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
    alarms: z.strictObject({
      /** Where alarms are sent; once confirmed by a click in the first mail. They show on the dashboard only when absent. */
      email: Address.optional(),
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
  .refine(({ protect, alarms }) => !protect || alarms.email !== undefined, {
    error: 'is needed where protect is true: alarms that nobody is told of protect nothing',
    path: ['alarms', 'email'],
  })
  .refine(
    ({ identity, stage }) =>
      identity.kind === 'oidc' || identity.domainPrefix !== undefined || !/aws|amazon|cognito/.test(stage),
    {
      error:
        'is needed where the name of the stage has aws, amazon or cognito in it, which Cognito takes in no address',
      path: ['identity', 'domainPrefix'],
    },
  )
  .refine(({ api, trustedProxies }) => api.endpoint === 'regional' || trustedProxies.length === 0, {
    error: 'must be empty with the edge, which writes addresses of its own behind those of proxies',
    path: ['trustedProxies'],
  })
  .refine((config) => [config.mail.from, config.mail.from.split('@')[1]].includes(config.mail.identity), {
    error: 'must be the sender’s address or its domain',
    path: ['mail', 'identity'],
  })
  .superRefine(({ reservedConcurrency }, context) => {
    for (const id of Object.keys(reservedConcurrency)) {
      if (doors.some((door) => door.id === id)) continue;
      context.addIssue({
        code: 'custom',
        path: ['reservedConcurrency', id],
        message: 'is no function of this service',
      });
    }
  });

/** What differs between the environments that this service is deployed to. No account number and no secret. */
export type Config = z.infer<typeof Config>;

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
