import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { reportKey } from '#data/keys.ts';
import { projectInsertion } from '#data/projects.ts';
import { anonymizeReport, findReport, type ReportRecord, replaceReport } from '#data/reports.ts';
import { findOrCreateUser } from '#data/users.ts';
import { transact } from '#data/write.ts';
import { dynamo } from '#platform/dynamo.ts';
import { origin, project } from '#test/catalog/fixtures.ts';
import { withBareTable } from '#test/support/with-bare-table.ts';

/** The removal of an author from a report, which events can start several times. */

withBareTable();

beforeAll(async () => {
  await transact(projectInsertion(project({ id: 'prj_reported' }), origin));
});

const report = (id: string): ReportRecord => ({
  id,
  project_id: 'prj_reported',
  user_id: `user-of-${id}`,
  reason: 'Spam',
  details: null,
  status: 'open',
  note: null,
  created_at: '2026-11-22T00:00:00.000Z',
  updated_at: '2026-11-22T00:00:00.000Z',
  version: 1,
});

it('removing an author keeps the report when another run removes the author between two reads', async () => {
  const id = 'rpt_1';
  await findOrCreateUser(
    { sub: `user-of-${id}`, email: null, emailVerified: false, name: null, issuedAt: null },
    false,
  );
  await replaceReport(undefined, report(id));
  const client = dynamo() as unknown as { send: (command: unknown) => Promise<unknown> };
  const { send: original } = client;
  onTestFinished(() => {
    client.send = original;
  });
  let isFirst = true;
  client.send = async (command) => {
    const readsReport =
      command instanceof GetCommand && command.input.Key?.sk === reportKey('prj_reported', `user-of-${id}`).sk;
    if (readsReport && isFirst) {
      isFirst = false;
      expect(await anonymizeReport(id)).toBe(true);
    }
    return await original.call(client, command);
  };
  expect(await anonymizeReport(id)).toBe(false);
  expect(isFirst).toBe(false);
  expect(await findReport(id)).toMatchObject({ id, user_id: null, reason: '' });
});
