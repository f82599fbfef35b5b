import path from 'node:path';
import { startEngine } from '#local/engine.ts';
import { type ErrorResponse, type Fault, startFaultProxy } from './fault-proxy.ts';
import { temporaryDataDir } from './server.ts';

/** A request to the table. */
interface TableRequest {
  /** The name of the operation, such as `UpdateItem`. */
  readonly operation: string;
  /** The JSON text of the input. */
  readonly body: string;
}

/** An error of DynamoDB, with the reasons of a canceled transaction. */
interface TableError {
  readonly type: string;
  readonly reasons?: readonly string[];
}

/** What happens to a request. A promise delays the decision. */
export type TableFault = Exclude<Fault, ErrorResponse> | TableError;

/** The errors by which DynamoDB throttles, with a name for a test. */
export const throttlingErrors = [
  ['a canceled transaction', { type: 'TransactionCanceledException', reasons: ['None', 'ThrottlingError'] }],
  ['exceeded throughput', { type: 'ProvisionedThroughputExceededException' }],
  ['throttling', { type: 'ThrottlingException' }],
  ['an exceeded request limit', { type: 'RequestLimitExceeded' }],
] as const;

/** A proxy in front of an empty table engine that makes selected requests fail. */
export interface TableProxy {
  /** The environment of a server that uses the table through the proxy. */
  readonly env: Readonly<Record<string, string>>;
  /** Decides about every request from now on. */
  fail(decide: (request: TableRequest) => TableFault | Promise<TableFault>): void;
  /** Forwards every request from now on. */
  recover(): void;
  stop(): Promise<void>;
}

const madeUpCredentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };

const errorResponse = ({ type, reasons }: TableError): ErrorResponse => ({
  status: type === 'InternalServerError' ? 500 : 400,
  type: 'application/x-amz-json-1.0',
  body: JSON.stringify({
    __type: `com.amazonaws.dynamodb.v20120810#${type}`,
    message: type,
    ...(reasons && { CancellationReasons: reasons.map((Code) => ({ Code })) }),
  }),
});

/** Starts an engine with an empty data file and a proxy in front of it. */
export const startTableProxy = async (): Promise<TableProxy> => {
  const folder = temporaryDataDir();
  const engine = await startEngine(path.join(folder, 'table.sqlite'), path.join(folder, 'engine.json'));
  const proxy = await startFaultProxy(engine.endpoint);
  return {
    // The timeout that a deployed function has, unlike other tests.
    env: { DYNAMODB_ENDPOINT: proxy.url, TABLE_TIMEOUT_MS: '5000', ...madeUpCredentials },
    fail: (decide) =>
      proxy.fail(async ({ headers, body }) => {
        const operation = String(headers['x-amz-target']).split('.').at(-1) ?? '';
        const fault = await decide({ operation, body });
        return typeof fault === 'object' && 'type' in fault ? errorResponse(fault) : fault;
      }),
    recover: () => proxy.recover(),
    stop: async () => {
      await proxy.stop();
      await engine.stop();
    },
  };
};
