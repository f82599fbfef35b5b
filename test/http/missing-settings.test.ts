import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { expect, it, vi } from 'vitest';
import { handler } from '#functions/categories/list.ts';

/** A function that was deployed without what it needs. */

it('says which setting is missing, for that is all that whoever looks into its log has', async () => {
  vi.stubEnv('TABLE_NAME', undefined);
  const identity = { sourceIp: '192.0.2.1' };
  const event = { httpMethod: 'GET', headers: {}, requestContext: { requestId: 'r', identity } };
  const context = { getRemainingTimeInMillis: () => 9000 };
  const answered = handler(event as unknown as APIGatewayProxyEvent, context as Context);
  await expect(answered).rejects.toThrow('TABLE_NAME');
});
