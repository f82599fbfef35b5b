import { call } from '#contract/mcp.ts';
import { handle } from '#http/handle.ts';
import { ownOrigin } from '#http/middleware/own-origin.ts';
import { secondTier } from '#http/middleware/second-tier.ts';
import { serveMcp, submissionsIn } from '#services/mcp/serve.ts';

export const handler = handle(call, async ({ body, user, header }) => await serveMcp(body, user, header), [
  ownOrigin,
  secondTier<typeof call>(({ body }) => submissionsIn(body)),
]);
