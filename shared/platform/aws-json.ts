import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { isServerError, isThrottlingError, isTransientError, StandardRetryStrategy } from '@smithy/core/retry';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import { requestHandler } from './aws-client.ts';

/** Details of a request, as the SDK adds them to its errors too. */
export interface Metadata {
  readonly httpStatusCode?: number;
  readonly requestId?: string;
  readonly attempts?: number;
}

/** An error that a service responded with. */
export class AwsError extends Error {
  override readonly name: string;
  readonly $fault: 'client' | 'server';
  $metadata: Metadata;

  /** @param name as the service names it, such as `ValidationException`. */
  constructor(name: string, message: string, $metadata: Metadata) {
    super(message);
    this.name = name;
    this.$metadata = $metadata;
    this.$fault = String($metadata.httpStatusCode).startsWith('5') ? 'server' : 'client';
  }
}

/** The members of a request or a response. */
export type Members = Readonly<Record<string, unknown>>;

/** A service with the protocol AWS JSON: each operation is a POST of a JSON document. */
interface Service {
  /** In its address and in signatures. */
  readonly name: string;
  /** Before the name of an operation in the header `X-Amz-Target`. */
  readonly target: string;
  readonly contentType: 'application/x-amz-json-1.0' | 'application/x-amz-json-1.1';
  /** The variable with an address instead of the service's own. */
  readonly endpointVariable: string;
  /** Of one attempt, in milliseconds. */
  readonly timeoutMs: number;
}

/** What clients of the same service share: connections, credentials and address. */
export interface Connection {
  readonly service: Service;
  readonly url: URL;
  readonly signer: Pick<SignatureV4, 'sign'>;
  readonly handler: Pick<NodeHttpHandler, 'handle'>;
}

/**
 * The address and the signer of a service of the region in `AWS_REGION`, with the credentials of the environment.
 * @param name in its address and in signatures.
 * @param endpointVariable the variable with an address instead of the service's own.
 * @throws Error when the region is not set.
 */
export const locate = (name: string, endpointVariable: string) => {
  const region = process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  if (!region) throw new Error('Set AWS_REGION to the region of the stage.');
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const configured = process.env[endpointVariable] || process.env.AWS_ENDPOINT_URL;
  return {
    isConfigured: Boolean(configured),
    url: new URL(configured || `https://${name}.${region}.${domain}`),
    signer: new SignatureV4({ service: name, region, credentials: defaultProvider(), sha256: Sha256 }),
  };
};

/** Connects to a service. @throws Error when the region is not set. */
export const connect = (service: Service): Connection => {
  const { url, signer } = locate(service.name, service.endpointVariable);
  return {
    service,
    url,
    signer,
    handler: new NodeHttpHandler(requestHandler(service.timeoutMs)),
  };
};

const kindOf = (error: Error) => {
  const sdkError = error as Parameters<typeof isThrottlingError>[0];
  if (isThrottlingError(sdkError)) return 'THROTTLING';
  if (isTransientError(sdkError)) return 'TRANSIENT';
  return isServerError(sdkError) ? 'SERVER_ERROR' : 'CLIENT_ERROR';
};

/** The body of a response. The SDK's collector loads the web streams of Node, which takes milliseconds of a cold start. */
export const collect = async (body: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** The members of an error; none when an intermediary responded with something else than JSON. */
const errorMembersOf = (text: string): Members => {
  try {
    return JSON.parse(text) as Members;
  } catch {
    return {};
  }
};

export interface SendOptions {
  readonly abortSignal?: AbortSignal;
}

/** The maximum of attempts that the SDK makes by default. */
export const MAX_ATTEMPTS = 3;

/**
 * Creates a function that repeats an attempt after throttling, faults of the service and lost connections, with the SDK's
 * pauses. Its calls share the SDK's budget of retries. It throws the error of the last attempt, with `$metadata`.
 */
export const retrying = (maxAttempts: number) => {
  const strategy = new StandardRetryStrategy(maxAttempts);
  return async <T>(attempt: () => Promise<T>): Promise<T> => {
    let token = await strategy.acquireInitialRetryToken('');
    for (let attempts = 1; ; attempts += 1) {
      try {
        const result = await attempt();
        strategy.recordSuccess(token);
        return result;
      } catch (thrown) {
        const error = thrown as Error & { $metadata?: Metadata };
        error.$metadata = { ...error.$metadata, attempts };
        try {
          token = await strategy.refreshRetryTokenForRetry(token, { errorType: kindOf(error) });
        } catch {
          throw error;
        }
      }
    }
  };
};

/**
 * Sends requests to one service. It consists of the SDK's own parts for signatures, connections and retries, without the layers
 * between them, which take more time than the parts (ADR 77).
 */
export class JsonClient {
  readonly connection: Connection;
  readonly #retry: ReturnType<typeof retrying>;

  constructor(connection: Connection, maxAttempts: number) {
    this.connection = connection;
    this.#retry = retrying(maxAttempts);
  }

  /** Sends a request with members and parses the response. @throws what `request` throws. */
  async call<Output>(operation: string, input: object, options: SendOptions = {}): Promise<Output> {
    return JSON.parse(await this.request(operation, JSON.stringify(input), options)) as Output;
  }

  /**
   * Sends a request, again after throttling, faults of the service and lost connections.
   * @returns the body of the response.
   * @throws {AwsError} that the service responded with; errors of the connection and `AbortError`, with `$metadata` too.
   */
  async request(operation: string, input: string, options: SendOptions): Promise<string> {
    const body = Buffer.from(input);
    return await this.#retry(() => this.#attempt(operation, body, options));
  }

  async #attempt(operation: string, body: Buffer, { abortSignal }: SendOptions): Promise<string> {
    const { service, url, signer, handler } = this.connection;
    const request = new HttpRequest({
      method: 'POST',
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port && { port: Number(url.port) }),
      path: '/',
      headers: {
        host: url.host,
        'content-type': service.contentType,
        'content-length': String(body.length),
        'x-amz-target': `${service.target}.${operation}`,
      },
      body,
    });
    const signed = (await signer.sign(request)) as HttpRequest;
    const { response } = await handler.handle(signed, { ...(abortSignal && { abortSignal }) });
    const text = (await collect(response.body)).toString();
    const { statusCode: httpStatusCode, headers } = response;
    if (httpStatusCode < 300) return text;
    const requestId = headers['x-amzn-requestid'];
    throw this.errorOf(errorMembersOf(text), { httpStatusCode, ...(requestId !== undefined && { requestId }) });
  }

  /** @param members of the response: `__type` is the name of the error, after a namespace and `#`. */
  protected errorOf(members: Members, $metadata: Metadata): AwsError {
    const name = /[^#]*$/.exec(String(members.__type ?? ''))?.[0] || 'UnknownError';
    const message = members.message ?? members.Message ?? `The service responded with ${$metadata.httpStatusCode}.`;
    return new AwsError(name, String(message), $metadata);
  }
}

/** A function that returns the client of a service, created at the first call: most processes need few services. */
export const jsonClient = (service: Service, maxAttempts = MAX_ATTEMPTS): (() => JsonClient) => {
  let client: JsonClient | undefined;
  return () => {
    client ??= new JsonClient(connect(service), maxAttempts);
    return client;
  };
};
