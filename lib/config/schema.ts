import * as z from 'zod';
import { Placement } from '#contract/fields.ts';
import { priceProblem } from '#contract/money.ts';
import { features, tiers } from '#contract/route.ts';
import { Api, Throttle, UsagePlan } from './api.ts';
import { ArchiveDays, Backup, Encryption, FeedShards, LogDays, WarmThroughput } from './data.ts';
import { Address, Megabytes, Origin } from './fields.ts';
import { Identity } from './identity.ts';
import { Site } from './site.ts';

const RateTier = z.string().regex(/^\d{1,9}\/\d{1,6}$/, { error: 'must be count/seconds, such as 600/60' });

/** Tiers with a throttle of their own, and `none` for routes without a rate limit. */
const throttledTiers = [...tiers.filter((tier) => tier !== 'admin'), 'none'] as const;

export const Config = z
  .strictObject({
    stage: z.string().regex(/^[a-z][a-z0-9-]{0,19}$/, {
      error: 'must begin with a letter and have at most 20 lowercase letters, digits and hyphens',
    }),
    /** Whether the table, the user pool and the logs are retained when their stacks are deleted. */
    retain: z.boolean(),
    /** Whether stacks, table and user pool have deletion protection. */
    protect: z.boolean(),
    /** Point-in-time recovery of the table, to any second of the last 35 days. */
    pointInTimeRecovery: z.boolean(),
    /** AWS Backup in a separate vault; none when absent. */
    backup: Backup.optional(),
    encryption: Encryption,
    feedShards: FeedShards,
    /** That of a new table when absent. */
    warmThroughput: WarmThroughput.optional(),
    /** How long events can be replayed, in days; no archive when absent. */
    archiveDays: ArchiveDays.optional(),
    logDays: LogDays,
    // Lambda drops metrics, on which alarms depend, above INFO.
    logLevel: z.enum(['DEBUG', 'INFO']),
    memoryMb: z.strictObject({
      /** Functions of routes. */
      request: Megabytes,
      /** Functions of routes that load the catalog. */
      catalog: Megabytes,
      subscriber: Megabytes,
      publisher: Megabytes,
    }),
    /**
     * Whether functions get the reserved concurrency that their routes, subscriptions and jobs declare. It is deducted from
     * the concurrency of all other functions.
     */
    reserveConcurrency: z.boolean(),
    /**
     * Whether roles are limited to the items and attributes of their entities, by the conditions `dynamodb:LeadingKeys` and
     * `dynamodb:Attributes`. Off only while a deployment shows that DynamoDB refuses what they allow: see
     * docs/first-deployment.md.
     */
    itemConditions: z.boolean(),
    site: Site,
    api: Api,
    /** Origins that may send credentials (CORS). */
    allowedOrigins: z.array(Origin),
    /** Address ranges whose `X-Forwarded-For` is trusted. */
    trustedProxies: z.array(
      z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: 'must be an address range' }),
    ),
    duplicateUrls: z.enum(['allow', 'reject']),
    /** Whether searches by words also search long descriptions, which takes more memory. */
    searchLongDescriptions: z.boolean(),
    /** The IP address of the name server that is asked for the proofs of claims; those of the system when absent. */
    claimDnsServer: z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' }).optional(),
    /** Whether edits of live listings by their owners wait for approval: none, those of `review_material`, or all. */
    liveEdits: z.enum(['immediate', 'review_material', 'review']),
    /**
     * What users need a verified email address for: nothing, submissions, or every write but those to the own profile and the
     * erasure. An issuer of the operator has to put `email` and `email_verified` into its access tokens for it.
     */
    verifiedEmailRequired: z.enum(['none', 'submit', 'write']),
    payments: z.strictObject({
      /** The price of the premium plan, in the smallest unit that Stripe has for the currency. */
      premiumPrice: z.int().min(1).max(99_999_999),
      /** ISO 4217 in lower case. */
      currency: z.string().regex(/^[a-z]{3}$/, { error: 'must be three lowercase letters, such as usd' }),
      /** Redirect targets after a checkout, with `{checkout}` for its id; pages of the site when absent. */
      successUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
      cancelUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    }),
    /**
     * Monthly prices in the smallest unit that Stripe has for the currency, and slots per placement; absent entries keep
     * their defaults.
     */
    promotions: z.strictObject({
      monthlyPrices: z.partialRecord(Placement, z.int().min(1).max(99_999_999)),
      slots: z.partialRecord(Placement, z.union([z.int().min(0).max(9999), z.literal('unlimited')])),
    }),
    /**
     * The model for text generation: a Bedrock model id, or a model behind an OpenAI-compatible URL. None when absent.
     */
    ai: z
      .strictObject({
        model: z.string().min(1),
        baseUrl: z.url({ protocol: /^https$/, error: 'must be an https address' }).optional(),
      })
      .optional(),
    mail: z.strictObject({
      from: Address,
      /** The SES identity: the sender’s address or its domain. */
      identity: z.string().min(3),
      /** Whether this stage creates the identity; otherwise it must exist in the account. */
      createIdentity: z.boolean(),
      /**
       * Whether the account is in the SES sandbox, where SES also requires permission to send on the identity of the
       * recipient. Functions may then send to every verified identity of the account, still only as `from`.
       */
      sandbox: z.boolean().optional(),
    }),
    alarms: z.strictObject({
      /** Receives alarms after confirming the subscription. When absent, alarms appear on the dashboard only. */
      email: Address.optional(),
    }),
    /** Users with one of these verified addresses become administrators when their record is created. */
    adminEmails: z.array(Address),
    /** Feature flags; absent ones keep their defaults. */
    features: z.partialRecord(z.enum(features), z.boolean()),
    /** Rate limits per client address; absent tiers keep their defaults. */
    rateLimits: z.partialRecord(z.enum(tiers), RateTier),
    /**
     * Throttling per gateway method, by rate tier, so that one tier cannot use the whole account limit. `general` is the
     * setting of the stage, which also applies to `admin`: each further tier adds updates to a stage.
     */
    throttles: z.record(z.enum(throttledTiers), Throttle),
    usagePlans: z.array(UsagePlan),
    identity: Identity,
  })
  .refine((config) => !config.protect || config.retain, {
    error: 'cannot be false where protect is true',
    path: ['retain'],
  })
  .refine(({ protect, alarms }) => !protect || alarms.email !== undefined, {
    error: 'is required when protect is true: alarms must reach someone',
    path: ['alarms', 'email'],
  })
  .refine(
    ({ identity, stage }) =>
      identity.kind === 'oidc' || identity.domainPrefix !== undefined || !/aws|amazon|cognito/.test(stage),
    {
      error:
        'is required when the stage name contains aws, amazon or cognito, which Cognito rejects in a domain prefix',
      path: ['identity', 'domainPrefix'],
    },
  )
  .refine(({ api, trustedProxies }) => api.endpoint === 'regional' || trustedProxies.length === 0, {
    error: 'must be empty for an edge endpoint, which appends addresses of its own to those of proxies',
    path: ['trustedProxies'],
  })
  .check(({ value: { payments, promotions }, issues }) => {
    const prices = [
      { path: ['payments', 'premiumPrice'], amount: payments.premiumPrice },
      ...Object.entries(promotions.monthlyPrices).map(([placement, amount]) => ({
        path: ['promotions', 'monthlyPrices', placement],
        amount,
      })),
    ];
    for (const { path, amount } of prices) {
      const message = priceProblem(amount, payments.currency);
      if (message !== undefined) issues.push({ code: 'custom', path, message, input: amount });
    }
  })
  .refine(({ site, features: { site: hasPages } }) => site.cdn === undefined || hasPages !== false, {
    error: 'must be absent where the feature site is off: it is for the pages',
    path: ['site', 'cdn'],
  })
  .refine(({ site, api }) => site.cdn === undefined || api.endpoint === 'regional', {
    error: 'must be regional with site.cdn: requests would pass CloudFront twice',
    path: ['api', 'endpoint'],
  })
  .refine(({ site, api }) => site.cdn === undefined || api.waf === undefined, {
    error:
      'must be absent with site.cdn, because it would count the addresses of CloudFront: use site.cdn.webAclParameter',
    path: ['api', 'waf'],
  })
  .refine((config) => [config.mail.from, config.mail.from.split('@')[1]].includes(config.mail.identity), {
    error: 'must be the sender’s address or its domain',
    path: ['mail', 'identity'],
  });

/** The settings of a stage. They contain no account number and no secret. */
export type Config = z.infer<typeof Config>;

/** The settings of a stage without its name. */
export type StageSettings = Omit<Config, 'stage'>;
export type StageOverrides = Partial<StageSettings>;
