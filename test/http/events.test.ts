import { readFileSync } from 'node:fs';
import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { type EventKind, eventKindNames, eventKinds, LedgerEvent } from '#contract/events.ts';
import { inOutbox } from '#data/outbox.ts';
import { transact } from '#data/write.ts';
import type { Message } from '#events/catalogue.ts';
import {
  type Directory,
  dataOf,
  FORBIDDEN,
  idOf,
  idsOf,
  invalidAt,
  type Person,
  person,
  TIME,
} from '#test/support/fixtures.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';
import { eventsPage } from '../../scripts/events-docs.ts';

/** The ledger of what happened: complete, in order, and the same however it is paged. */

const EVENTS = '/api/admin/events';
const DAY = 86_400_000;

let world: TestWorld;
let directory: Directory;
let owner: Person;

withDirectory(async (opened) => {
  ({ world, directory } = opened);
  owner = await person(world);
});

interface Meta {
  readonly nextAfter: string | null;
  readonly hasMore: boolean;
  readonly pageSize: number;
}

const pageOf = async (query: string): Promise<{ events: LedgerEvent[]; meta: Meta }> => {
  const answer = await directory.get(`${EVENTS}?${query}`, directory.admin);
  expect(answer).toMatchObject({ status: 200 });
  return { events: dataOf(answer), meta: (answer.body as { meta: Meta }).meta };
};

/** Follows the ledger to its end. */
const walk = async (query: string, limit: number): Promise<LedgerEvent[]> => {
  const all: LedgerEvent[] = [];
  let after = '';
  for (;;) {
    const { events, meta } = await pageOf(`${query}&limit=${limit}${after}`);
    expect(meta.pageSize).toBe(limit);
    expect(meta.hasMore).toBe(meta.nextAfter !== null);
    if (meta.hasMore) expect(events).toHaveLength(limit);
    all.push(...events);
    if (meta.nextAfter === null) return all;
    expect(meta.nextAfter).toBe(events.at(-1)?.id);
    after = `&after=${meta.nextAfter}`;
  }
};

/** Writes an event as it was written at some time. `idAt` is when its id was made, which may be a moment off. */
const planted = async (at: number, idAt = at, kind: EventKind = 'userBanned'): Promise<string> => {
  const id = `evt_${ulid(idAt)}`;
  const message = {
    id,
    kind,
    occurred_at: new Date(at).toISOString(),
    actor_id: null,
    data: { user_id: 'x', reason: null },
  };
  await transact([inOutbox(message as Message)]);
  return id;
};

/** The first moment of a month, so many months back. */
const monthStart = (back: number): number => {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1);
};

describe('the ledger', () => {
  it('tells what was done, newest first, without the tasks of the service', async () => {
    const project = await directory.submit(owner);
    await directory.done('PUT', `/api/admin/projects/${project.id}/approve`);
    await directory.done('PUT', `/api/admin/projects/${project.id}`, { name: 'Renamed' });
    const comment = { content: 'Good.' };
    expect((await directory.as(owner, 'POST', `/api/projects/${project.id}/comments`, comment)).status).toBe(201);
    await directory.done('DELETE', `/api/admin/projects/${project.id}`);
    const { events } = await pageOf('limit=5');
    expect(events.map(({ kind }) => kind)).toEqual([
      'projectDeleted',
      'commentCreated',
      'projectUpdated',
      'projectApproved',
      'projectSubmitted',
    ]);
    expect(events[4]).toEqual({
      id: idOf('evt'),
      kind: 'projectSubmitted',
      occurred_at: TIME,
      actor_id: owner.id,
      data: expect.objectContaining({ project_id: project.id, slug: project.slug, owner_id: owner.id }) as unknown,
    });
    expect(events[3]?.actor_id).toBe(directory.admin.id);
    expect(await pageOf('kind=commentCreated')).toMatchObject({
      events: [{ data: { project_id: project.id, content: 'Good.' } }],
      meta: { nextAfter: null, hasMore: false, pageSize: 40 },
    });
    for (const event of events) expect(LedgerEvent.safeParse(event).error).toBeUndefined();
  });

  it('keeps its exact order over the ends of months, however it is paged', async () => {
    const ids: string[] = [];
    for (const back of [1, 0]) {
      const start = monthStart(back);
      for (const offset of [-2, -1, 0, 1]) ids.push(await planted(start + offset, start + offset, 'userBanned'));
      // Its id was made in the last moment of a month, its time is in the next.
      ids.push(await planted(start + 2, start + 2));
    }
    const expected = ids.toReversed();
    const isPlanted = ({ id }: LedgerEvent) => ids.includes(id);
    const whole = (await walk('', 100)).filter(isPlanted).map(({ id }) => id);
    expect(whole).toEqual(expected);
    for (const limit of [1, 2, 3, 7]) {
      expect((await walk('', limit)).filter(isPlanted).map(({ id }) => id)).toEqual(expected);
      expect((await walk('kind=userBanned', limit)).map(({ id }) => id)).toEqual(expected);
    }
  });

  it('neither repeats nor skips an event whose id was made in another month than it happened', async () => {
    const start = monthStart(1);
    const early = await planted(start, start - 1, 'userBanned');
    const before = await planted(start - 1, start - 1);
    const seen = (await walk('', 1)).map(({ id }) => id);
    expect(seen.filter((id) => id === early)).toHaveLength(1);
    expect(seen.filter((id) => id === before)).toHaveLength(1);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.indexOf(early)).toBeLessThan(seen.indexOf(before));
  });

  it('shows nothing twice while new events arrive', async () => {
    const first = await pageOf('limit=2');
    await planted(Date.now());
    const second = await pageOf(`limit=2&after=${first.meta.nextAfter}`);
    const ids = [...first.events, ...second.events].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
  });

  it('goes back 90 days and no further, and continues behind an event that is gone', async () => {
    const kept = await planted(Date.now() - 89 * DAY, Date.now() - 89 * DAY);
    const old = await planted(Date.now() - 91 * DAY, Date.now() - 91 * DAY);
    for (const query of ['', 'kind=userBanned']) {
      const ids = (await walk(query, 50)).map(({ id }) => id);
      expect(ids.at(-1)).toBe(kept);
      expect(ids).not.toContain(old);
    }
    const gone = `evt_${ulid(Date.now() - 88 * DAY)}`;
    expect(idsOf(await directory.get(`${EVENTS}?after=${gone}`, directory.admin))).toEqual([kept]);
    const future = `evt_7${'Z'.repeat(25)}`;
    expect((await pageOf(`limit=3&after=${future}`)).events).toEqual((await pageOf('limit=3')).events);
    expect((await pageOf(`after=evt_${'0'.repeat(26)}`)).events).toEqual([]);
  });

  it.each([
    ['kind', 'kind=projectExploded'],
    ['kind', 'kind=projectPurged'],
    ['kind', 'kind='],
    ['kind', 'kind=userBanned&kind=userBanned'],
    ['after', 'after=prj_01J9Z3QK5T6W7X8Y9Z0ABCDEFG'],
    ['after', 'after=evt_short'],
    ['limit', 'limit=0'],
    ['limit', 'limit=101'],
  ])('refuses a wrong %s: %s', async (field, query) => {
    expect(await directory.get(`${EVENTS}?${query}`, directory.admin)).toMatchObject(invalidAt(field));
  });

  it('is for administrators', async () => {
    expect(await directory.get(EVENTS, owner)).toMatchObject(FORBIDDEN);
    expect(await directory.get(EVENTS)).toMatchObject(FORBIDDEN);
  });
});

describe('every kind', () => {
  it('says what it and each of its members means', () => {
    for (const kind of eventKindNames) {
      const schema = eventKinds[kind];
      expect([kind, schema.description]).toEqual([kind, expect.stringMatching(/\.$/)]);
      for (const [name, member] of Object.entries(schema.shape)) {
        expect([kind, name, member.description]).toEqual([kind, name, expect.stringMatching(/\.$/)]);
      }
    }
  });

  it('stands in docs/events.md as its schema says; otherwise run "npm run docs"', () => {
    expect(readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8')).toBe(eventsPage());
  });

  it('of the contract is there', () => {
    const promised = [
      'projectSubmitted',
      'projectApproved',
      'projectRejected',
      'projectUpdated',
      'projectDeleted',
      'commentCreated',
      'promotionActivated',
      'promotionExpired',
      'paymentSettled',
      'paymentRefunded',
      'userBanned',
    ];
    expect(eventKindNames).toEqual(expect.arrayContaining(promised));
  });
});
