import { readResource } from '#contract/mcp.ts';
import { handle, ok } from '#http/handle.ts';
import { protectedResource } from '#services/mcp/resource.ts';

export const handler = handle(readResource, async () => ok(await protectedResource()));
