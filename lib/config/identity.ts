import * as z from 'zod';
import { signInParameterProblem } from '#contract/sign-in.ts';
import { HttpsAddress, PascalCaseName } from './fields.ts';

/** Settings of the token issuer: a user pool of the stage, or an existing OIDC issuer. */

/** Parameters that the pages add to each authorization request, as in a query: `audience=orders&scope=orders%20invoices`. */
const SignInParameters = z
  .string()
  .refine((query) => signInParameterProblem(query) === undefined, {
    error: ({ input }) => signInParameterProblem(String(input)),
  })
  .optional();

const UserPool = z.strictObject({
  kind: z.literal('cognito'),
  /**
   * The prefix of the hosted sign-in domain, `<prefix>.auth.<region>.amazoncognito.com`, unique per region. Derived
   * from the stage’s name and the stack id when absent.
   */
  domainPrefix: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, { error: 'must be lowercase letters, digits and hyphens' })
    .refine((prefix) => !/aws|amazon|cognito/.test(prefix), { error: 'cannot contain aws, amazon or cognito' })
    .optional(),
  /** Each service gets a client for the client credentials flow; Cognito generates its secret. */
  services: z.array(PascalCaseName),
  /**
   * The sender of codes and invitations: Cognito (about fifty mails a day), or SES with the stage’s sender, which must
   * be verified before the pool is created.
   */
  mail: z.enum(['cognito', 'ses']),
  signInParameters: SignInParameters,
});

const OwnIssuer = z.strictObject({
  kind: z.literal('oidc'),
  issuer: HttpsAddress,
  /** Accepted values of `aud` or `client_id`. */
  audiences: z
    .array(
      z
        .string()
        .trim()
        .min(1, { error: 'must not be empty' })
        .refine((audience) => !audience.includes(','), { error: 'must not contain a comma' }),
    )
    .min(1, { error: 'must name at least one audience' }),
  jwksUri: HttpsAddress,
  /** The public client with which the console signs in; it cannot when absent. */
  clientId: z.string().min(1).optional(),
  signInParameters: SignInParameters,
});

export const Identity = z.discriminatedUnion('kind', [UserPool, OwnIssuer]);
