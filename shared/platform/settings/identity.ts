import * as z from 'zod';
import { list } from './values.ts';

/** The issuer of access tokens. */
export interface TrustedIssuer {
  readonly issuer: string;
  /** Accepted values of `aud`, or of `client_id` where a token has no `aud`. Empty: any client of the issuer. */
  readonly audiences: readonly string[];
  readonly jwksUri: string;
}

/** The variables of the issuer. */
export const issuerVariables = {
  OIDC_ISSUER: z.string().min(1).optional(),
  OIDC_AUDIENCES: list,
  OIDC_JWKS_URI: z.string().min(1).optional(),
};

/**
 * The issuer that they name; undefined where they name none.
 * @throws Error when its address and that of its keys do not come together.
 */
export const issuerOf = (variables: z.output<z.ZodObject<typeof issuerVariables>>): TrustedIssuer | undefined => {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCES: audiences, OIDC_JWKS_URI: jwksUri } = variables;
  if (issuer === undefined && jwksUri === undefined) return undefined;
  if (issuer === undefined || jwksUri === undefined) {
    throw new Error('The environment is not usable: OIDC_ISSUER and OIDC_JWKS_URI come together or not at all.');
  }
  return { issuer, audiences, jwksUri };
};
