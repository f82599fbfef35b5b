import * as z from 'zod';
import { DomainName, Word } from './fields.ts';

/** Settings of the gateways. */

export const Throttle = z.strictObject({
  /** Requests per second that the gateway lets through on one method, all callers together. */
  ratePerSecond: z.number().positive(),
  /** How many may come at once before the rate counts. */
  burst: z.int().positive(),
});

export const UsagePlan = z.strictObject({
  /** It is part of construct ids. */
  id: Word,
  ratePerSecond: z.number().positive(),
  burst: z.int().positive(),
  requestsPerDay: z.int().positive(),
  /** Each gets an API key; the gateway makes its value. */
  clients: z.array(Word),
});

/** Where the address of a certificate stands: an address names the account, which belongs into no file of the project. */
const ParameterName = z.string().regex(/^\/[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+){0,14}$/, {
  error:
    'must be the name of an SSM parameter, such as /directory/prod/certificate, and not the address of a certificate',
});

const Domain = z
  .strictObject({
    /** Under which everybody reaches the service. */
    name: DomainName,
    /** Under which programmatic clients with keys do; they keep the gateway's own address when absent. */
    keyedName: DomainName.optional(),
    /** The public zone of the names in Route 53: records are made in it, and the certificate where none is given. */
    hostedZone: z
      .strictObject({
        id: z.string().regex(/^Z[A-Z0-9]{1,31}$/, { error: 'must be the id of a hosted zone, such as Z0123456789ABC' }),
        name: DomainName,
      })
      .optional(),
    /**
     * The name of the SSM parameter, in the region of the deployment, that holds the address of a certificate for all
     * names. Without it a certificate is made and proven by records in the hosted zone.
     */
    certificateParameter: ParameterName.optional(),
  })
  .refine(({ hostedZone, certificateParameter }) => hostedZone !== undefined || certificateParameter !== undefined, {
    error: 'needs a hostedZone, in which the certificate is proven, or a certificateParameter that says which it is',
  })
  .refine(({ name, keyedName }) => name !== keyedName, {
    error: 'cannot be the name that everybody uses',
    path: ['keyedName'],
  })
  .refine(
    ({ name, keyedName = name, hostedZone }) =>
      hostedZone === undefined || [name, keyedName].every((one) => `.${one}`.endsWith(`.${hostedZone.name}`)),
    { error: 'must be the zone that the names are in', path: ['hostedZone', 'name'] },
  );

const Waf = z.strictObject({
  /** An address that has sent more than so many requests in five minutes is turned away until it calms down. */
  requestsPerFiveMinutes: z.int().min(10).max(2_000_000_000),
  /** Whether Amazon's rules against known bad inputs and bad addresses are asked too; they cost extra. */
  managedRules: z.boolean(),
});

export const Api = z
  .strictObject({
    /** `edge` puts Amazon's points of presence in front; right where callers are all over the world. */
    endpoint: z.enum(['regional', 'edge']),
    /** The gateways' own addresses are used when absent. */
    domain: Domain.optional(),
    /** A firewall in front of both gateways; none when absent. */
    waf: Waf.optional(),
  })
  .refine(({ endpoint, domain }) => endpoint === 'regional' || domain?.certificateParameter !== undefined || !domain, {
    error:
      'is needed with the edge: its certificate has to be in us-east-1, where a stack of another region cannot make it',
    path: ['domain', 'certificateParameter'],
  });
