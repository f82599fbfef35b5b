import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type AppError, invalidInput, notFound } from '#shared/errors.ts';
import { failureAnswer } from './answer.ts';

/** What the HTTP parser complains of. */
interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** A line such as begins every request, whatever the method. */
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r?\n/;

const failureOf = ({ code, rawPacket }: ClientError): AppError => {
  const isUnknownMethod = code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test(rawPacket?.toString('latin1') ?? '');
  if (isUnknownMethod) return notFound();
  const isLate = code === 'ERR_HTTP_REQUEST_TIMEOUT';
  return invalidInput(isLate ? 'The request did not arrive in time.' : 'The request is not valid HTTP.');
};

/** Answers what is not even a request, and closes the connection. */
export const answerMalformed = (error: ClientError, socket: Socket): void => {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, headers, body } = failureAnswer(failureOf(error), randomUUID());
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${String(value)}`).join('\r\n');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n\r\n${body.toString()}`);
};
