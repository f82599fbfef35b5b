import * as z from 'zod';

/** Schemas shared by several settings. */

/** An origin as browsers send it. */
export const Origin = z.string().regex(/^https:\/\/[^/\s"$#]+$|^http:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/, {
  error: 'must be an origin without a path, such as https://directory.example (http for localhost only)',
});

export const Address = z.email({ error: 'must be an email address' });

/** A part of construct ids. */
export const PascalCaseName = z.string().regex(/^[A-Z][A-Za-z0-9]{0,30}$/, { error: 'must be in PascalCase' });

export const HttpsAddress = z.url({ protocol: /^https$/, error: 'must be an https address' });

/** A lowercase domain name without a trailing dot. */
export const DomainName = z
  .string()
  .max(253)
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, {
    error: 'must be a domain name in lowercase, such as api.directory.example',
  });

export const Megabytes = z.int().min(128).max(10_240);

/** The public Route 53 zone of a name. */
export const HostedZone = z.strictObject({
  id: z.string().regex(/^Z[A-Z0-9]{1,31}$/, { error: 'must be the id of a hosted zone, such as Z0123456789ABC' }),
  name: DomainName,
});

/** An SSM parameter with an ARN: an ARN contains the account, which no file of the project names. */
export const ParameterName = z.string().regex(/^\/[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+){0,14}$/, {
  error: 'must be the name of an SSM parameter, such as /directory/prod/certificate, and not an ARN',
});
