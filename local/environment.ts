import { randomBytes } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { devNull } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { placementNames } from '#contract/fields.ts';
import { priceProblem } from '#contract/money.ts';
import { signInParameterProblem } from '#contract/sign-in.ts';
import { mailFeedback, subscriptions } from '#events/subscriptions.ts';
import { variableNames } from '#platform/environment.ts';
import { queueUrlOf } from './dead-letter-queues.ts';
import { KEYS_PATH, LOCAL_AUDIENCE, TOKEN_PATH } from './issuer.ts';
import { isLoopbackName, isPublicHost } from './listening.ts';
import { STORAGE_PATH } from './object-storage.ts';

/** Environment variables; undefined unsets one. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Where the parts of the local server listen. */
interface Endpoints {
  readonly port: number;
  readonly awsEndpoint: string;
  /** The mock of Stripe's API; absent when the user configured Stripe. */
  readonly stripeEndpoint?: string;
  /** The secret key that the mock accepts. */
  readonly stripeKey?: string;
  /** Whether the local issuer signs the tokens, which it does by default. */
  readonly localIssuer?: boolean;
  /** Where its keys are; at this server by default. */
  readonly keysUrl?: string;
  /** Whether the pages of the site are on, to which payments return. */
  readonly hasSite?: boolean;
  /** The address of this server for others, without a trailing slash. */
  readonly ownUrl?: string;
  /** That of the front end, likewise; of this server by default. */
  readonly siteUrl?: string;
  /** Whether the parts under `/_local/` are switched off. */
  readonly isClosed?: boolean;
}

const project = fileURLToPath(new URL('..', import.meta.url));

/** The data folder: `DATA_DIR`, or `.data` in the project. */
export const dataDirOf = (variables: Variables): string => path.resolve(project, variables.DATA_DIR || '.data');

/** The address at which others reach this server, by default: that of `HOST`, where it names one. */
export const addressOf = (host: string | undefined, port: number): string => {
  const name = isPublicHost(host) && host !== '0.0.0.0' && host !== '::' ? host : 'localhost';
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
};

/** The issuer's name in tokens. */
export const issuerOf = (port: number): string => `http://localhost:${port}/_local`;

/**
 * Secrets with defaults that anyone can read here. Their empty value has a meaning of its own: there is none, and nothing that
 * needs it is accepted.
 */
const PUBLIC_SECRETS = { CRON_SECRET: 'local-cron-secret', STRIPE_WEBHOOK_SECRET: 'whsec_local' } as const;

/** Defaults for settings that the user has not set. */
export const defaultSettings = ({
  port,
  awsEndpoint,
  stripeEndpoint,
  stripeKey = 'sk_test_local',
  localIssuer = true,
  keysUrl = `http://127.0.0.1:${port}${KEYS_PATH}`,
  hasSite,
  ownUrl = `http://localhost:${port}`,
  siteUrl = ownUrl,
  isClosed: closed = false,
}: Endpoints): Readonly<Record<string, string>> => ({
  TABLE_NAME: 'directory',
  BUS_NAME: 'directory',
  MAIL_FROM: 'Directory <directory@example.com>',
  MAIL_CONFIGURATION_SET: 'directory',
  SITE_NAME: 'Directory',
  SITE_URL: siteUrl,
  // Together or not at all: keys of the local issuer must not sign tokens of another one.
  ...(localIssuer && {
    OIDC_ISSUER: issuerOf(port),
    OIDC_AUDIENCES: LOCAL_AUDIENCE,
    OIDC_JWKS_URI: keysUrl,
    SIGN_IN_CLIENT_ID: LOCAL_AUDIENCE,
    SIGN_IN_TOKEN_URL: `http://localhost:${port}${TOKEN_PATH}`,
  }),
  TRUSTED_PROXIES: '127.0.0.0/8,::1',
  FEATURE_MODERATORS: 'on',
  LOCAL_SCHEDULES: 'on',
  ...PUBLIC_SECRETS,
  // The payment page is under `/_local/`.
  ...(stripeEndpoint !== undefined &&
    !closed && {
      STRIPE_SECRET_KEY: stripeKey,
      STRIPE_API_BASE: stripeEndpoint,
      // Without the pages of the site there is none to return to but that of the payment.
      ...(!hasSite && {
        CHECKOUT_SUCCESS_URL: `http://localhost:${port}/_local/checkout/{checkout}`,
        CHECKOUT_CANCEL_URL: `http://localhost:${port}/_local/checkout/{checkout}`,
      }),
    }),
  LOG_LEVEL: 'WARN',
  LOG_ERROR_MESSAGES: 'on',
  AWS_REGION: 'us-east-1',
  AWS_ENDPOINT_URL_EVENTBRIDGE: awsEndpoint,
  AWS_ENDPOINT_URL_SES: awsEndpoint,
  AWS_ENDPOINT_URL_KMS: awsEndpoint,
  AWS_ENDPOINT_URL_S3: `http://localhost:${port}${STORAGE_PATH}`,
  // Without the pages of the site, what answers at its address is another program.
  UPLOAD_ENDPOINT: `${closed && hasSite ? siteUrl : ownUrl}${STORAGE_PATH}`,
  AWS_ENDPOINT_URL_SQS: awsEndpoint,
  DEAD_LETTER_QUEUES: [...subscriptions, mailFeedback].map(({ id }) => `${id}=${queueUrlOf(awsEndpoint, id)}`).join(),
  WEBHOOK_KEY_ID: 'local',
  CONSOLE_FOLDER: path.join(project, 'dist/console'),
  SITE_FOLDER: path.join(project, 'dist/site'),
  ...(closed ? { SAMPLE_DATA: 'off' } : { LOCAL_LINKS: 'on' }),
  UPLOAD_BUCKET: 'uploads',
});

/** Further defaults when no other process uses the engine. */
export const singleProcessSettings: Readonly<Record<string, string>> = { RATE_COUNTER: 'memory' };

/** Variables that say who the user is at an engine of the user's, and where the files that say so are. */
const CREDENTIALS = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_PROFILE',
  'AWS_REGION',
  'AWS_CONFIG_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_ROLE_ARN',
  'AWS_ROLE_SESSION_NAME',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE',
];

/**
 * Hides the user's configuration of AWS from the clients, which is about AWS itself: its variables and its files.
 * @param engine the address of an engine of the user's, for which the credentials and the region stay.
 */
export const withoutAwsConfiguration = (variables: Variables, engine: string | undefined): Variables => {
  const hidden = Object.keys(variables).filter(
    (name) => name.startsWith('AWS_') && !(engine && CREDENTIALS.includes(name)),
  );
  return {
    ...Object.fromEntries(hidden.map((name) => [name, undefined])),
    ...(!engine && { AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull }),
    // The files of the user, where they are read, may say otherwise.
    AWS_USE_FIPS_ENDPOINT: 'false',
    AWS_USE_DUALSTACK_ENDPOINT: 'false',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
};

/** Points the AWS clients at the engine. */
export const databaseSettings = (endpoint: string): Variables => ({
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_ENDPOINT_URL_DYNAMODB_STREAMS: endpoint,
});

/**
 * Invalid credentials. The environment may hold those of a real account; the embedded parts accept any and must not
 * receive real ones.
 */
export const emptyCredentials: Variables = {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
};

/** All that a process other than the server needs to use an embedded engine. */
export const embeddedEngine = (endpoint: string): Variables => ({
  ...withoutAwsConfiguration(process.env, undefined),
  ...databaseSettings(endpoint),
  ...emptyCredentials,
});

/** Those of one run, which the mocks of AWS and the object storage require. */
export const randomCredentials = (): Variables => ({
  ...emptyCredentials,
  AWS_ACCESS_KEY_ID: `local${randomBytes(16).toString('hex')}`,
  AWS_SECRET_ACCESS_KEY: randomBytes(32).toString('hex'),
});

/** Whether the environment names credentials of any kind. */
const hasCredentials = (variables: Variables): boolean =>
  Boolean(variables.AWS_ACCESS_KEY_ID && variables.AWS_SECRET_ACCESS_KEY) ||
  [
    'AWS_PROFILE',
    'AWS_WEB_IDENTITY_TOKEN_FILE',
    'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
    'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  ].some((name) => variables[name]);

/** The credentials for an engine that the user names: those of the environment or, without any, made-up ones. */
export const externalCredentials = (variables: Variables): Variables =>
  hasCredentials(variables) ? {} : emptyCredentials;

/** Those of the defaults that the user has not set. */
export const unsetOf = (
  defaults: Readonly<Record<string, string>>,
  variables: Variables,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(defaults).filter(([name]) =>
      name in PUBLIC_SECRETS ? variables[name] === undefined : !variables[name],
    ),
  );

const LOG_LEVELS = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'CRITICAL', 'SILENT'];

/** Whether the user has configured no part of an issuer, so that the local one signs the tokens. */
export const hasLocalIssuer = ({ OIDC_ISSUER, OIDC_AUDIENCES, OIDC_JWKS_URI }: Variables): boolean =>
  !(OIDC_ISSUER || OIDC_AUDIENCES || OIDC_JWKS_URI);

/**
 * Whether the parts under `/_local/` are switched off, because others than the user of this machine send requests: inbox, events,
 * tokens for anyone, the page of mock payments and the images of the sample data.
 */
export const isClosed = ({ HTTPS_ONLY, HOST }: Variables): boolean => HTTPS_ONLY === 'on' || isPublicHost(HOST);

/** The first setting that connects this service with the world outside of this machine, as the reason of a sentence. */
const realPartOf = (variables: Variables): string | undefined => {
  if (variables.STRIPE_SECRET_KEY) return 'STRIPE_SECRET_KEY is set';
  if (!hasLocalIssuer(variables)) return 'an issuer is configured';
  if (variables.HTTPS_ONLY === 'on') return 'HTTPS_ONLY is on';
  if (isPublicHost(variables.HOST)) return 'HOST lets other machines connect';
  const host = URL.parse(variables.SITE_URL ?? '')?.host;
  return host !== undefined && !isLoopbackName(host) ? 'SITE_URL names a public host' : undefined;
};

/** Secrets that the user must set, because others than the user of this machine can send requests that need them. */
const secretProblems = (variables: Variables): string[] => {
  const reason = realPartOf(variables);
  if (reason === undefined) return [];
  return Object.entries(PUBLIC_SECRETS).flatMap(([name, known]) => {
    const values = (variables[name] ?? known).split(',').map((value) => value.trim());
    if (!values.includes(known)) return [];
    return `${name} must be a secret of your own, or empty to accept no such requests, because ${reason} and ${known} is public`;
  });
};

const PRICES = ['PREMIUM_PRICE', ...placementNames.map((name) => `PROMOTION_PRICE_${name.toUpperCase()}`)];

/** Prices that Stripe refuses in the currency. Functions need no such check: the settings of their stage have it. */
const priceProblems = (variables: Variables): string[] => {
  const currency = (variables.CURRENCY || 'usd').trim();
  return PRICES.flatMap((name) => {
    // Other texts are no prices, which is a problem of its own.
    const amount = /^\d+$/.test(variables[name] ?? '') ? Number(variables[name]) : 0;
    const problem = priceProblem(amount, currency);
    return problem === undefined ? [] : [`${name} ${problem}`];
  });
};

/** Parameters that no sign-in can have. Functions need no such check: the settings of their stage have it. */
const signInProblems = ({ SIGN_IN_PARAMETERS = '' }: Variables): string[] => {
  const problem = signInParameterProblem(SIGN_IN_PARAMETERS);
  return problem === undefined ? [] : [`SIGN_IN_PARAMETERS ${problem}`];
};

/** The names of settings begin so, and hardly any of another program. */
const PREFIXES = ['FEATURE_', 'OIDC_', 'PROMOTION_', 'RATE_LIMIT_', 'SIGN_IN_', 'SITE_', 'STRIPE_'];

/** Names that are probably misspelt. */
const nameProblems = (variables: Variables): string[] => {
  const known = new Set([
    ...variableNames(),
    ...Object.keys(defaultSettings({ port: 0, awsEndpoint: '', stripeEndpoint: '' })),
  ]);
  return Object.entries(variables).flatMap(([name, value]) => {
    const prefix = PREFIXES.find((one) => name.startsWith(one));
    if (prefix === undefined || !value || known.has(name)) return [];
    const others = [...known].filter((one) => one.startsWith(prefix)).sort();
    return `${name} is not a setting: those that begin with ${prefix} are ${others.join(', ')}`;
  });
};

/** Addresses to which the service appends paths. */
const BASE_ADDRESSES = [
  'SITE_URL',
  'OIDC_ISSUER',
  'AI_BASE_URL',
  'STRIPE_API_BASE',
  'DYNAMODB_ENDPOINT',
  'UPLOAD_ENDPOINT',
];
/** Those of which nothing else checks that they are addresses. */
const LOCAL_ADDRESSES = ['OIDC_ISSUER', 'DYNAMODB_ENDPOINT', 'UPLOAD_ENDPOINT'];

const addressProblems = (variables: Variables): string[] =>
  BASE_ADDRESSES.flatMap((name) => {
    const value = variables[name] ?? '';
    const url = URL.parse(value);
    if (value !== '' && LOCAL_ADDRESSES.includes(name) && !/^https?:$/.test(url?.protocol ?? '')) {
      return `${name} must be an http or https address`;
    }
    return url && (/[?#]/.test(value) || url.username || url.password)
      ? `${name} must be an address without query, fragment and password`
      : [];
  });

const hostProblems = (variables: Variables): string[] => {
  const { HOST } = variables;
  if (HOST && HOST !== 'localhost' && (isIP(HOST) === 0 || HOST.includes('%'))) {
    return [
      'HOST must be an IP address of this machine, 0.0.0.0 for all, or empty: some shells set it to another value',
    ];
  }
  return isPublicHost(HOST) && hasLocalIssuer(variables)
    ? [
        'OIDC_ISSUER, OIDC_JWKS_URI and OIDC_AUDIENCES must be set, because HOST lets other machines connect and the local issuer ' +
          'lets anybody sign in as anybody',
      ]
    : [];
};

/** Secrets of Stripe in each other's place, known by their beginning. */
const stripeProblems = ({ STRIPE_SECRET_KEY: key = '', STRIPE_WEBHOOK_SECRET: secrets = '' }: Variables): string[] => [
  ...(/^\s*(?:pk|whsec|we)_/.test(key)
    ? ['STRIPE_SECRET_KEY must be a secret or restricted key of Stripe, which begins with sk_ or rk_']
    : []),
  ...(/(?:^|,)\s*(?:[prs]k|we)_/.test(secrets)
    ? ['STRIPE_WEBHOOK_SECRET must be the signing secret of a webhook, which begins with whsec_']
    : []),
];

const isSwitch = (value: string | undefined): boolean => !value || value === 'on' || value === 'off';

/**
 * The problems of settings that only the local server reads, or checks.
 * @param variables those that the user has set, without defaults.
 */
export const localProblems = (variables: Variables): string[] => {
  const { LOG_LEVEL, SITE_NAME, LOCAL_LINKS } = variables;
  return [
    ...nameProblems(variables),
    ...['SAMPLE_DATA', 'LOG_ERROR_MESSAGES'].flatMap((name) =>
      isSwitch(variables[name]) ? [] : `${name} must be on or off`,
    ),
    ...(LOG_LEVEL && !LOG_LEVELS.includes(LOG_LEVEL.toUpperCase())
      ? [`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`]
      : []),
    ...(SITE_NAME && (SITE_NAME.trim() === '' || /[\r\n]/.test(SITE_NAME))
      ? ['SITE_NAME must be one line of text']
      : []),
    ...hostProblems(variables),
    ...(LOCAL_LINKS === 'on' && isClosed(variables)
      ? ['LOCAL_LINKS must be off, because HTTPS_ONLY or HOST switches off what the links lead to']
      : []),
    ...addressProblems(variables),
    ...stripeProblems(variables),
    ...priceProblems(variables),
    ...signInProblems(variables),
    ...secretProblems(variables),
  ];
};

/** Sets environment variables of this process. @returns a function that restores the previous values. */
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
