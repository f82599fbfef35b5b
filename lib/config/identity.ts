import * as z from 'zod';
import { HttpsAddress, Word } from './fields.ts';

/** Settings of whose tokens are believed: a user pool that the stage makes, or an issuer that is there already. */

const UserPool = z.strictObject({
  kind: z.literal('cognito'),
  /**
   * The first part of the address of the hosted sign-in, `<prefix>.auth.<region>.amazoncognito.com`, which nobody else in
   * the region may have. Made of the stage's name and some letters of chance when absent.
   */
  domainPrefix: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, { error: 'must be small letters, digits and hyphens' })
    .refine((prefix) => !/aws|amazon|cognito/.test(prefix), { error: 'cannot contain aws, amazon or cognito' })
    .optional(),
  /** Each gets a client that obtains tokens in its own name; Cognito makes the secret. */
  services: z.array(Word),
  /**
   * Who sends codes and invitations: Cognito itself, some fifty mails a day and no more, or the sender of this stage
   * through SES, which has to be confirmed before the pool is told to use it.
   */
  mail: z.enum(['cognito', 'ses']),
});

const OwnIssuer = z.strictObject({
  kind: z.literal('oidc'),
  issuer: HttpsAddress,
  /** Accepted values of `aud` or `client_id`; any client of the issuer when empty. */
  audiences: z.array(z.string().min(1)),
  jwksUri: HttpsAddress,
});

export const Identity = z.discriminatedUnion('kind', [UserPool, OwnIssuer]);
