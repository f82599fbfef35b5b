import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { MiddlewareRequest } from '#http/call.ts';
import { streaming } from '#http/middleware/streaming.ts';

it('the body of a streamed response is produced for GET, and not even started for HEAD', async () => {
  let produced = 0;
  const textOf = async (httpMethod: string): Promise<string> => {
    const rows = function* () {
      produced += 1;
      yield 'row';
    };
    const response = { stream: rows() };
    await streaming.after?.({ event: { httpMethod, headers: {} }, response } as unknown as MiddlewareRequest);
    return (await Readable.from(response.stream).toArray()).join('');
  };
  expect([await textOf('HEAD'), produced]).toEqual(['', 0]);
  expect([await textOf('GET'), produced]).toEqual(['row', 1]);
});
