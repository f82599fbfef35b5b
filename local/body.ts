import type { IncomingMessage } from 'node:http';

/** A body that is larger than the reader was ready to take. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

const NOTHING = Buffer.alloc(0);

/**
 * Reads a request's body. One that announces more than the limit is not begun, one that turns out larger is not read on.
 * @throws {BodyTooLarge}
 */
export const readBody = async (request: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (Number(length ?? 0) > maxBytes) throw new BodyTooLarge();
  if (length === undefined && coding === undefined) return NOTHING;
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      request.off('data', onData);
      reject(new BodyTooLarge());
    };
    request.on('data', onData);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => reject(new Error('The caller went away in the middle of the body.')));
  });
};
