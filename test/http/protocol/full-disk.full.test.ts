import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { log } from '#platform/log.ts';
import { FRESH_MS } from '#services/admin/health.ts';
import { person } from '#test/support/fixtures.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** A full disk below the journal of the local server: triggers let its writes fail with SQLite's message. */

const { server, directory } = await ownDirectory();

const TABLES = { events: 'INSERT', deliveries: 'UPDATE', inbox: 'INSERT', facts: 'INSERT', storage_checks: 'INSERT' };

const withJournal = (statementsOf: (table: string, write: string) => string): void => {
  const journal = new DatabaseSync(path.join(server.server.dataDir, 'journal.sqlite'), { timeout: 5000 });
  for (const [table, write] of Object.entries(TABLES)) journal.exec(statementsOf(table, write));
  journal.close();
};

const fill = (): void =>
  withJournal(
    (table, write) =>
      `CREATE TRIGGER full_${table} BEFORE ${write} ON ${table} BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`,
  );
const empty = (): void => withJournal((table) => `DROP TRIGGER full_${table}`);

const clock = performance.now.bind(performance);
let later = 0;

const deep = () => {
  later += FRESH_MS;
  vi.spyOn(performance, 'now').mockImplementation(() => clock() + later);
  return server.call('GET', '/api/health?deep=1');
};

it('a full disk is reported by deep health and once in the log, without a loop, and nothing is lost', async () => {
  expect(await deep()).toMatchObject({ status: 200 });
  const owner = await person(server);
  const lines = [vi.spyOn(log, 'warn'), vi.spyOn(log, 'error')].map((spy) => spy.mockImplementation(() => undefined));
  const messages = () => lines.flatMap(({ mock }) => mock.calls.map(([message]) => String(message)));

  fill();
  const unhealthy = await deep();
  expect([unhealthy.status, unhealthy.body]).toMatchObject([503, { code: 'UNHEALTHY', parts: { bus: 'failed' } }]);
  const { id } = await directory.submit(owner);
  await wait(2500);
  const repeated = Object.entries(Object.groupBy(messages(), (message) => message)).filter(
    ([message, all = []]) => all.length > 1 && message !== 'publishing failed',
  );
  expect(repeated).toEqual([]);
  expect(messages().length).toBeLessThan(20);
  expect(messages()).toContain('the data folder cannot be written; free disk space');

  empty();
  await server.until(async () => expect(await deep()).toMatchObject({ status: 200 }));
  await server.until(async () => {
    const events = await server.events();
    return expect(events.filter(({ data }) => (data as { project_id?: string }).project_id === id)).toHaveLength(1);
  });
  expect(messages()).toContain('the data folder can be written again');
});
