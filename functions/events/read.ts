import { read } from '#contract/events.ts';
import { handle, ok } from '#http/handle.ts';
import { readEvent } from '#services/events/logs.ts';

export const handler = handle(read, async ({ params }) => ok({ data: await readEvent(params.event) }));
