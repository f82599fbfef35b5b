import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { expect, it, vi } from 'vitest';
import { handler } from '#functions/categories/list.ts';

it('a function without a required variable fails with an error that names it', async () => {
  vi.stubEnv('TABLE_NAME', undefined);
  const identity = { sourceIp: '192.0.2.1' };
  const event = { httpMethod: 'GET', headers: {}, requestContext: { requestId: 'r', identity } };
  const context = { getRemainingTimeInMillis: () => 9000 };
  const response = handler(event as unknown as APIGatewayProxyEvent, context as Context);
  await expect(response).rejects.toThrow('TABLE_NAME');
});
