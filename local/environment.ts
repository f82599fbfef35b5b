import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { KEYS_PATH, LOCAL_AUDIENCE } from './issuer.ts';

/** The environment of a process, as text. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Where the parts of this world are. */
export interface Places {
  readonly port: number;
  readonly awsEndpoint: string;
  /** Where payments are rehearsed; absent where the user has a payment provider of his own. */
  readonly checkoutEndpoint?: string;
}

const project = fileURLToPath(new URL('..', import.meta.url));

/** The folder for everything that is kept, unless `DATA_DIR` names another. */
export const dataDirOf = (variables: Variables): string => path.resolve(project, variables.DATA_DIR || '.data');

/** The issuer's name in tokens. */
export const issuerOf = (port: number): string => `http://localhost:${port}/_local`;

/** Settings that hold unless the user has set them. */
export const defaultSettings = ({ port, awsEndpoint, checkoutEndpoint }: Places): Readonly<Record<string, string>> => ({
  TABLE_NAME: 'directory',
  BUS_NAME: 'directory',
  MAIL_FROM: 'Directory <directory@example.com>',
  MAIL_CONFIGURATION_SET: 'directory',
  SITE_NAME: 'Directory',
  SITE_URL: `http://localhost:${port}`,
  OIDC_ISSUER: issuerOf(port),
  OIDC_AUDIENCES: LOCAL_AUDIENCE,
  OIDC_JWKS_URI: `http://127.0.0.1:${port}${KEYS_PATH}`,
  TRUSTED_PROXIES: '127.0.0.0/8,::1',
  CRON_SECRET: 'local-cron-secret',
  STRIPE_SECRET_KEY: 'sk_test_local',
  STRIPE_WEBHOOK_SECRET: 'whsec_local',
  ...(checkoutEndpoint !== undefined && {
    STRIPE_API_BASE: checkoutEndpoint,
    CHECKOUT_SUCCESS_URL: `http://localhost:${port}/_local/checkout/{checkout}`,
    CHECKOUT_CANCEL_URL: `http://localhost:${port}/_local/checkout/{checkout}`,
  }),
  LOG_LEVEL: 'WARN',
  LOG_ERROR_WORDS: 'on',
  AWS_REGION: 'us-east-1',
  AWS_ENDPOINT_URL_EVENTBRIDGE: awsEndpoint,
  AWS_ENDPOINT_URL_SES: awsEndpoint,
});

/** What else holds unless the user has set it, where this process is the only one that uses the engine. */
export const onlyProcess: Readonly<Record<string, string>> = { RATE_LEASE_MAX: '256' };

/** Leads the AWS clients to the engine, whatever the user's shell says. Undefined ones are taken away. */
export const databaseSettings = (endpoint: string): Variables => ({
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_ENDPOINT_URL_DYNAMODB_STREAMS: endpoint,
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: undefined,
});

/**
 * Credentials that open nothing. The user's shell may be set up for work on a real account: the embedded parts take any
 * credentials and should be given none that are worth anything.
 */
export const emptyCredentials: Variables = {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SESSION_TOKEN: undefined,
  AWS_PROFILE: undefined,
};

/** Sets variables of this process. @returns what puts them back as they were. */
export const setVariables = (variables: Variables): (() => void) => {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  const assign = (values: Variables): void => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  assign(variables);
  return () => assign(before);
};
