import * as z from 'zod';
import { DomainName, HostedZone, HttpsAddress, ParameterName, PascalCaseName } from './fields.ts';

/** Settings of the gateways. */

export const Throttle = z.strictObject({
  /** Requests per second per method, over all callers. */
  ratePerSecond: z.number().positive(),
  /** The burst capacity of the token bucket. */
  burst: z.int().positive(),
});

export const UsagePlan = z.strictObject({
  /** Part of construct ids. */
  id: PascalCaseName,
  ratePerSecond: z.number().positive(),
  burst: z.int().positive(),
  requestsPerDay: z.int().positive(),
  /** Each client gets an API key whose value the gateway generates. */
  clients: z.array(PascalCaseName),
});

const Domain = z
  .strictObject({
    /** The domain of the open gateway. */
    name: DomainName,
    /** The domain of the keyed gateway; it keeps its default address when absent. */
    keyedName: DomainName.optional(),
    /** The public Route 53 zone of the names, for alias records and for certificate validation. */
    hostedZone: HostedZone.optional(),
    /**
     * The SSM parameter, in the region of the deployment, with the ARN of a certificate for all names. When absent, a
     * certificate is created and validated in the hosted zone.
     */
    certificateParameter: ParameterName.optional(),
  })
  .refine(({ hostedZone, certificateParameter }) => hostedZone !== undefined || certificateParameter !== undefined, {
    error: 'needs a hostedZone to validate a certificate, or a certificateParameter with an existing one',
  })
  .refine(({ name, keyedName }) => name !== keyedName, {
    error: 'cannot be the same as name',
    path: ['keyedName'],
  })
  .refine(
    ({ name, keyedName = name, hostedZone }) =>
      hostedZone === undefined || [name, keyedName].every((one) => `.${one}`.endsWith(`.${hostedZone.name}`)),
    { error: 'must be the zone of the names', path: ['hostedZone', 'name'] },
  );

const Waf = z.strictObject({
  /** Requests per address in five minutes; addresses above the limit are blocked until they fall below it. */
  requestsPerFiveMinutes: z.int().min(10).max(2_000_000_000),
  /** Whether AWS managed rules apply, at extra cost. */
  managedRules: z.boolean(),
});

export const Api = z
  .strictObject({
    /** `edge` serves through CloudFront points of presence, for callers far from the region. */
    endpoint: z.enum(['regional', 'edge']),
    /**
     * `strict` (the default) rejects connections whose TLS server name differs from the `Host` header. `basic` is for a
     * proxy in front of the gateways that forwards the caller's `Host`.
     */
    accessMode: z.enum(['strict', 'basic']).optional(),
    /** The default addresses of the gateways are used when absent. */
    domain: Domain.optional(),
    /**
     * The default address of the open gateway (the output `Url`), known after the first deployment: without a domain, the
     * user pool permits signing in to the console only at this address.
     */
    address: HttpsAddress.refine((address) => !address.endsWith('/'), {
      error: 'must not end with a slash',
    }).optional(),
    /** A web ACL for both gateways; none when absent. */
    waf: Waf.optional(),
  })
  .refine(({ endpoint, domain }) => endpoint === 'regional' || domain?.certificateParameter !== undefined || !domain, {
    error:
      'is required for an edge endpoint: its certificate must be in us-east-1, where a stack of another region cannot create it',
    path: ['domain', 'certificateParameter'],
  })
  .refine(({ domain, address }) => domain === undefined || address === undefined, {
    error: 'must be absent with a domain, which disables the default address',
    path: ['address'],
  });
