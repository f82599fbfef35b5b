import { list } from '#contract/events.ts';
import { handle, ok } from '#http/handle.ts';
import { listEvents } from '#services/events/logs.ts';

export const handler = handle(list, async ({ query }) => ok(await listEvents(query)));
