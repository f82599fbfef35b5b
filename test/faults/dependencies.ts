import { setTimeout as wait } from 'node:timers/promises';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { feedPartitions } from '#data/keys.ts';
import { STORAGE_PATH } from '#local/object-storage.ts';
import { type ErrorResponse, type Fault, type FaultProxy, startFaultProxy } from '#test/support/fault-proxy.ts';
import { startTableProxy, type TableFault } from '#test/support/table-proxy.ts';

/** The services that this one depends on, each behind a proxy that makes its requests fail. */

/** The kinds of faults, in the order of the columns of the page. */
const faults = ['hangs', 'throttles', 'fails', 'is slow', 'loses responses'] as const;
export type FaultName = (typeof faults)[number];

// Reads can be repeated: only the lost response to a write leaves a doubt.
const readFaults = faults.filter((fault) => fault !== 'loses responses');

/** The faults that each dependency can have, by its name. */
export const faultsOf = {
  table: faults,
  feed: readFaults,
  bus: faults,
  mail: faults,
  stripe: faults,
  issuer: readFaults,
  storage: faults,
  queues: faults,
} as const satisfies Readonly<Record<string, readonly FaultName[]>>;
export type DependencyName = keyof typeof faultsOf;

/** A service that can fail. */
interface Dependency {
  start(fault: FaultName): void;
  recover(): void;
}

/** Longer than a request waits for the rate counter, and short enough for the calls of a request one after another. */
const SLOW_TABLE_MS = 400;
const SLOW_MS = 1000;

const tableFaults: Readonly<Record<FaultName, TableFault>> = {
  hangs: 'hang',
  throttles: { type: 'ProvisionedThroughputExceededException' },
  fails: { type: 'InternalServerError' },
  'is slow': { delayMs: SLOW_TABLE_MS },
  'loses responses': 'lose',
};

const jsonError = (status: number, body: object): ErrorResponse => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});

const storageError = (status: number, code: string): ErrorResponse => ({
  status,
  type: 'application/xml',
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code}</Message></Error>`,
});

const mailError = (status: number, code: string): ErrorResponse => ({
  status,
  type: 'text/xml',
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${code}</Message></Error></ErrorResponse>`,
});

type Errors = Readonly<Record<'throttles' | 'fails', ErrorResponse>>;

const busErrors: Errors = {
  throttles: jsonError(400, { __type: 'ThrottlingException', message: 'Rate exceeded' }),
  fails: jsonError(500, { __type: 'InternalException', message: 'Internal failure' }),
};
const mailErrors: Errors = { throttles: mailError(400, 'Throttling'), fails: mailError(500, 'InternalFailure') };
const stripeErrors: Errors = {
  throttles: jsonError(429, {
    error: { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests' },
  }),
  fails: jsonError(500, { error: { type: 'api_error', message: 'Internal failure' } }),
};
const storageErrors: Errors = {
  throttles: storageError(503, 'SlowDown'),
  fails: storageError(500, 'InternalError'),
};
const queueErrors: Errors = {
  throttles: jsonError(400, {
    __type: 'com.amazon.coral.availability#ThrottlingException',
    message: 'Rate exceeded',
  }),
  fails: jsonError(500, { __type: 'com.amazon.coral.service#InternalFailure', message: 'Internal failure' }),
};
const issuerErrors: Errors = { throttles: jsonError(429, {}), fails: jsonError(500, {}) };

const faultOf = (name: FaultName, errors: Errors): Fault => {
  switch (name) {
    case 'hangs':
      return 'hang';
    case 'loses responses':
      return 'lose';
    case 'is slow':
      return { delayMs: SLOW_MS };
    default:
      return errors[name];
  }
};

/** All dependencies, and the environment of a server that uses them. */
export interface Dependencies {
  readonly byName: Readonly<Record<DependencyName, Dependency>>;
  readonly env: Readonly<Record<string, string>>;
  /** The address of the issuer's keys for that server. */
  readonly keysUrl: string;
  /** How many requests have failed since the start of the last fault. */
  hits(): number;
  /** How many of these repeat an earlier one, among those that contain a text in their path or body. */
  repetitions(text: string): number;
  /** Connects the proxies with the services of the started server. */
  connect(server: { awsEndpoint: string; stripeEndpoint: string; url: string }): Promise<void>;
  /** Signs a token again, with a key that the service has not fetched yet. */
  signWithNewKey(token: string): Promise<string>;
  stop(): Promise<void>;
}

/** The recipient and the subject of a mail: its parts are encoded, and their boundary is another one in every attempt. */
const mailIn = (body: string): string =>
  Buffer.from(new URLSearchParams(body).get('RawMessage.Data') ?? '', 'base64')
    .toString()
    .split('\r\n')
    .filter((line) => /^(?:To|Subject): /.test(line))
    .join(' ');

const READS_OF_STREAM: ReadonlySet<string> = new Set(['DescribeStream', 'GetShardIterator', 'GetRecords']);

/** Starts the proxies. */
export const startDependencies = async (): Promise<Dependencies> => {
  const proxies = {
    table: await startTableProxy(),
    bus: await startFaultProxy(),
    mail: await startFaultProxy(),
    stripe: await startFaultProxy(),
    issuer: await startFaultProxy(),
    storage: await startFaultProxy(),
    queues: await startFaultProxy(),
  };
  /** The failed requests as texts. */
  let failed: string[] = [];
  const fail = <F>(fault: F, body: string): F => {
    failed.push(body);
    return fault;
  };

  const table = (concerns: (operation: string, body: string, fault: FaultName) => boolean): Dependency => ({
    start: (name) => {
      failed = [];
      proxies.table.fail(({ operation, body }) =>
        concerns(operation, body, name) ? fail(tableFaults[name], body) : undefined,
      );
    },
    recover: () => proxies.table.recover(),
  });
  const service = (proxy: FaultProxy, errors: Errors, textOf = (body: string) => body): Dependency => ({
    start: (name) => {
      failed = [];
      proxy.fail(({ method, path, body }) => fail(faultOf(name, errors), `${method} ${path} ${textOf(body)}`));
    },
    recover: () => proxy.recover(),
  });

  // The issuer publishes its own keys and those of new tokens; the proxy itself responds with them.
  const keys: JWK[] = [];
  const keySet = (): ErrorResponse => jsonError(200, { keys });
  const publishKeys = (): void => proxies.issuer.fail(keySet);
  const issuer: Dependency = {
    start: (name) => {
      failed = [];
      const fault = faultOf(name, issuerErrors);
      proxies.issuer.fail(async ({ body }) => {
        fail(fault, body);
        if (typeof fault !== 'object' || !('delayMs' in fault)) return fault;
        await wait(fault.delayMs);
        return keySet();
      });
    },
    recover: () => {
      proxies.issuer.recover();
      publishKeys();
    },
  };

  return {
    byName: {
      table: table((operation, _, fault) =>
        fault === 'loses responses' ? operation === 'TransactWriteItems' : !READS_OF_STREAM.has(operation),
      ),
      feed: table(
        (operation, body) =>
          operation === 'Query' && feedPartitions.some((partition) => body.includes(JSON.stringify(partition))),
      ),
      bus: service(proxies.bus, busErrors),
      mail: service(proxies.mail, mailErrors, mailIn),
      stripe: service(proxies.stripe, stripeErrors),
      issuer,
      storage: service(proxies.storage, storageErrors),
      queues: service(proxies.queues, queueErrors),
    },
    env: {
      ...proxies.table.env,
      AWS_ENDPOINT_URL_EVENTBRIDGE: proxies.bus.url,
      AWS_ENDPOINT_URL_SES: proxies.mail.url,
      STRIPE_API_BASE: proxies.stripe.url,
      AWS_ENDPOINT_URL_S3: `${proxies.storage.url}${STORAGE_PATH}`,
      UPLOAD_ENDPOINT: `${proxies.storage.url}${STORAGE_PATH}`,
      AWS_ENDPOINT_URL_SQS: proxies.queues.url,
    },
    keysUrl: proxies.issuer.url,
    hits: () => failed.length,
    repetitions: (text) => {
      const concerned = failed.filter((body) => body.includes(text));
      return concerned.length - new Set(concerned).size;
    },
    connect: async ({ awsEndpoint, stripeEndpoint, url }) => {
      proxies.bus.forwardTo(awsEndpoint);
      proxies.mail.forwardTo(awsEndpoint);
      proxies.stripe.forwardTo(stripeEndpoint);
      proxies.storage.forwardTo(url);
      proxies.queues.forwardTo(awsEndpoint);
      const response = await fetch(`${url}/_local/.well-known/jwks.json`);
      keys.push(...((await response.json()) as { keys: JWK[] }).keys);
      publishKeys();
    },
    signWithNewKey: async (token) => {
      const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
      const kid = `key-${keys.length}`;
      keys.push({ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' });
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JWTPayload;
      return await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' }).sign(privateKey);
    },
    stop: async () => {
      for (const proxy of Object.values(proxies)) await proxy.stop();
    },
  };
};
