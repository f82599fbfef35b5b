import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type AppError, invalidInput } from '#shared/errors.ts';
import { errorResponse, type HttpResponse } from './http-response.ts';

/** An error of Node's HTTP parser. */
interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ (?<target>\S+) HTTP\/1\.[01]\r?\n/;
const HOST = /^host:[ \t]*(?<host>\S+)/im;

/** A request whose method the parser does not know. */
export interface UnknownMethodRequest {
  readonly target: string;
  readonly host: string | undefined;
}

const unknownMethodRequest = ({ code, rawPacket }: ClientError): UnknownMethodRequest | undefined => {
  const text = rawPacket?.toString('latin1') ?? '';
  const target = code === 'HPE_INVALID_METHOD' ? REQUEST_LINE.exec(text)?.groups?.target : undefined;
  return target === undefined ? undefined : { target, host: HOST.exec(text)?.groups?.host };
};

const appErrorOf = ({ code }: ClientError): AppError => {
  const isTimeout = code === 'ERR_HTTP_REQUEST_TIMEOUT';
  return invalidInput(isTimeout ? 'The request did not arrive in time.' : 'The request is not valid HTTP.');
};

/**
 * Responds to a request that the HTTP parser rejects, and closes the connection.
 * @param respondToUnknownMethod the response of the routes to a method that none of them has.
 */
export const respondToBadRequest = async (
  error: ClientError,
  socket: Socket,
  respondToUnknownMethod: (request: UnknownMethodRequest) => Promise<HttpResponse>,
): Promise<void> => {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const request = unknownMethodRequest(error);
  const response = request ? await respondToUnknownMethod(request) : errorResponse(appErrorOf(error), randomUUID());
  const { status, headers, body } = response;
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${String(value)}`).join('\r\n');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n\r\n${body.toString()}`);
};
