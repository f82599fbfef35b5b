import { parseArgs } from 'node:util';
import { removeUserFromLogs } from '#data/erased-users.ts';
import { inOutbox } from '#data/event-log.ts';
import { userDataPages } from '#data/user-export.ts';
import { transact } from '#data/write.ts';
import { newMessage } from '#events/catalogue.ts';
import { dynamo } from '#platform/dynamo.ts';
import { startBareTable } from '#test/support/bare-table.ts';

const HELP = `Measures what the event log costs when the data of one user is exported and erased.

  node bench/erasure.ts [--events 4000] [--own 40]

  --events  events in the ledger (default 4000)
  --own     of these, events of the user (default 40), at most one in 25

Prints requests, read units and write units, as the table reports them: of the export by mentions, of the removal by
mentions. Also the write units of an event with its mention. Uses the embedded engine in a temporary folder.
`;

const { values } = parseArgs({
  options: { help: { type: 'boolean' }, events: { type: 'string' }, own: { type: 'string' } },
});

interface Capacity {
  readonly CapacityUnits?: number;
  readonly WriteCapacityUnits?: number;
}

const usage = { requests: 0, reads: 0, writes: 0, seconds: 0 };

const attachMeter = (): void => {
  dynamo().middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'INDEXES' } });
        usage.requests += 1;
        const isRead = /^(?:Query|GetItem|BatchGet)/.test(String(commandName));
        const { ConsumedCapacity: consumed } = result.output as { ConsumedCapacity?: Capacity | Capacity[] };
        for (const { CapacityUnits = 0 } of [consumed ?? []].flat()) {
          usage[isRead ? 'reads' : 'writes'] += CapacityUnits;
        }
        return result;
      },
    { step: 'initialize' },
  );
};

const measured = async (work: () => Promise<unknown>) => {
  Object.assign(usage, { requests: 0, reads: 0, writes: 0 });
  const from = performance.now();
  await work();
  return { ...usage, seconds: (performance.now() - from) / 1000 };
};

const print = (name: string, { requests, reads, writes, seconds }: typeof usage): void => {
  const cells = [requests, reads, writes].map((units) => units.toFixed(1).padStart(12));
  console.log(`${name.padEnd(34)}${cells.join('')}${seconds.toFixed(2).padStart(10)}`);
};

/** Writes the events faster than one by one. */
const EVENTS_PER_TRANSACTION = 25;

const commented = (userId: string) =>
  inOutbox(
    newMessage('commentCreated', userId, {
      comment_id: 'cmt_01M810PVRFE29WBZNTCWEJ45XM',
      project_id: 'prj_01M810PVRFE29WBZNTCWEJ45XM',
      user_id: userId,
      content: 'The room under the roof is the quiet one, and the stout is worth the stairs. '.repeat(3),
    }),
  );

const main = async (events: number, own: number): Promise<void> => {
  const table = await startBareTable();
  try {
    attachMeter();
    const first = '10000000-user-of-the-export-and-erasure';
    const every = Math.floor(events / own);
    for (let n = 0; n < events; n += EVENTS_PER_TRANSACTION) {
      const users = Array.from({ length: Math.min(EVENTS_PER_TRANSACTION, events - n) }, (_, i) => {
        const position = (n + i) % every;
        return position === 0 ? first : `30000000-another-user-of-the-directory-${(n + i) % 97}`;
      });
      await transact(users.map(commented));
    }
    console.log(
      `${''.padEnd(34)}${['requests', 'read units', 'write units'].map((head) => head.padStart(12)).join('')}${'seconds'.padStart(10)}`,
    );
    print('an event, with its mention', await measured(() => transact([commented(first)])));
    print(
      'export by mentions',
      await measured(async () => {
        for await (const { items } of userDataPages(first)) if (items.length === 0) continue;
      }),
    );
    print('removal by mentions', await measured(() => removeUserFromLogs(first, true, Number.POSITIVE_INFINITY)));
  } finally {
    await table.stop();
  }
};

if (values.help) console.log(HELP);
else await main(Number(values.events ?? 4000), Number(values.own ?? 40));
