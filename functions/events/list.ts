import { list } from '#contract/events.ts';
import { eventsBackwards, eventsOfKindBackwards, findEventMonth } from '#data/events.ts';
import { listEvents } from '#domain/events/list.ts';
import { handle, ok } from '#http/handle.ts';
import { now } from '#platform/clock.ts';

const ledgerPorts = { now, eventsBackwards, eventsOfKindBackwards, findEventMonth };

export const handler = handle(list, ledgerPorts, async ({ query }, ports) => ok(await listEvents(ports, query)));
