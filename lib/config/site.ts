import * as z from 'zod';
import { languages } from '#contract/languages.ts';
import { HostedZone, Origin, ParameterName } from './fields.ts';

/** CloudFront in front of the public pages. */
const Cdn = z.strictObject({
  /**
   * The SSM parameter, in the region of the deployment, with the ARN of a certificate of us-east-1 for the host of `url`. When
   * absent, the distribution has its default address.
   */
  certificateParameter: ParameterName.optional(),
  /** The public Route 53 zone of the host of `url`, for its records. */
  hostedZone: HostedZone.optional(),
  /** The SSM parameter, in the region of the deployment, with the ARN of a web ACL of the scope CLOUDFRONT. */
  webAclParameter: ParameterName.optional(),
  /** Raising it replaces the key by which the gateway recognizes the distribution. */
  originKey: z.int().min(1).max(9999).prefault(1),
});

/** Settings of the public pages. */
export const Site = z
  .strictObject({
    name: z.string().min(1).max(100),
    url: Origin,
    /** Whether search engines may show the pages; by default where the address is https. */
    index: z.boolean().optional(),
    /** The key with which changes of public listings are reported to search engines; none are reported when absent. It is public. */
    indexNowKey: z
      .string()
      .regex(/^[a-zA-Z0-9-]{8,128}$/, { error: 'must be 8 to 128 letters, digits and hyphens' })
      .optional(),
    /** The style of the map, by MapLibre; tiles, glyphs and sprites come from its origin. The built-in outlines when absent. */
    mapStyleUrl: z.url({ protocol: /^https$/, error: 'must be an https address' }).optional(),
    /** The languages of the pages; the pages of the first one have no prefix. English when absent. */
    languages: z
      .array(z.enum(languages))
      .min(1)
      .refine((values) => new Set(values).size === values.length, { error: 'must not name a language twice' })
      .optional(),
    /** None when absent: the gateway answers requests for pages itself. */
    cdn: Cdn.optional(),
  })
  .refine(({ cdn }) => cdn?.hostedZone === undefined || cdn.certificateParameter !== undefined, {
    error: 'is required for records of the zone',
    path: ['cdn', 'certificateParameter'],
  })
  .refine(
    ({ url, cdn }) =>
      cdn?.hostedZone === undefined || `.${URL.parse(url)?.hostname}`.endsWith(`.${cdn.hostedZone.name}`),
    {
      error: 'must be the zone of the address',
      path: ['cdn', 'hostedZone', 'name'],
    },
  );
