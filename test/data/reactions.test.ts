import { ulid } from 'ulid';
import { expect, it } from 'vitest';
import { insertComment } from '#data/comments.ts';
import { changeCounts, readCounts } from '#data/counts.ts';
import { countsKey } from '#data/keys.ts';
import { deleteProject, findProject, projectInsertion, projectReinsertion, replaceProject } from '#data/projects.ts';
import { replaceRating, setVote } from '#data/reactions.ts';
import { findItem } from '#data/read.ts';
import { eraseUser, findOrCreateUser } from '#data/users.ts';
import { transact } from '#data/write.ts';
import { newMessage } from '#events/catalogue.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { rateProject, toggleVote } from '#services/reactions/votes-and-ratings.ts';
import { repeatErasures } from '#services/users/erase.ts';
import type { AppError } from '#shared/errors.ts';
import { origin, project } from '#test/catalog/fixtures.ts';
import { withBareTable } from '#test/support/with-bare-table.ts';

/** Reactions that are written after their project has been closed, or their user erased, by a concurrent request. */

const table = withBareTable();

const newUser = (): Promise<UserRecord> =>
  findOrCreateUser({ sub: ulid(), email: null, emailVerified: false, name: null, issuedAt: null }, false);

const newProject = async (): Promise<ProjectRecord> => {
  const id = newId('prj');
  const record = project({ id, slug: id.toLowerCase(), status: 'live', deleted_at: null, categories: [] });
  await transact(projectInsertion(record, origin));
  return record;
};

const next = async (previous: ProjectRecord, changes: Partial<ProjectRecord>): Promise<ProjectRecord> => {
  const changed = { ...previous, ...changes, version: previous.version + 1 };
  await replaceProject(previous, changed, origin, []);
  return changed;
};

const comment = async (projectId: string, userId: string): Promise<void> => {
  const at = now();
  const text = { project_id: projectId, user_id: userId, content: 'Too late.' };
  const id = newId('cmt');
  await insertComment(
    { ...text, id, created_at: at, updated_at: at, is_hidden: false },
    newMessage('commentCreated', userId, { ...text, comment_id: id }),
  );
};

const NOT_FOUND = expect.objectContaining({ status: 404 }) as AppError;
const UNAUTHORIZED = expect.objectContaining({ status: 401 }) as AppError;

const itemsOf = async (projectId: string, type: string) =>
  (await table.scan()).filter((item) => item.pk === countsKey(projectId).pk && item.type === type);

const expectClosed = async (projectId: string): Promise<void> => {
  const user = await newUser();
  const before = await findItem(countsKey(projectId));
  await expect(setVote(projectId, user.id, undefined, undefined)).rejects.toEqual(NOT_FOUND);
  await expect(replaceRating(projectId, user.id, undefined, 4)).rejects.toEqual(NOT_FOUND);
  await expect(comment(projectId, user.id)).rejects.toEqual(NOT_FOUND);
  expect(await findItem(countsKey(projectId))).toEqual(before);
};

it.each([
  ['that has counters', true],
  ['that has none', false],
])(
  'a project %s and is closed by a concurrent request takes no reactions until it is open again',
  async (_, hasCounters) => {
    const open = await newProject();
    if (hasCounters) await transact([changeCounts(open.id, { views_count: 3 })]);
    const rejected = await next(open, { status: 'rejected' });
    await expectClosed(open.id);
    const deleted = await next(rejected, { deleted_at: now() });
    await expectClosed(open.id);
    await next(deleted, { status: 'live', deleted_at: null });
    await setVote(open.id, (await newUser()).id, undefined, undefined);
    expect(await readCounts(open.id)).toMatchObject({ upvote_count: 1, views_count: hasCounters ? 3 : 0 });
  },
);

it('a purged project takes no reactions, nor does a pending one that was imported again under its id', async () => {
  const open = await newProject();
  await deleteProject(open, []);
  await expectClosed(open.id);
  expect(await itemsOf(open.id, 'counts')).toEqual([]);
  const again = { ...open, status: 'pending', version: Date.now() * 2 } as const;
  await transact([...projectInsertion(again, origin), ...projectReinsertion(again)]);
  await expectClosed(open.id);
  await next(again, { status: 'live' });
  await setVote(open.id, (await newUser()).id, undefined, undefined);
  expect((await findProject(open.id))?.counts.upvote_count).toBe(1);
});

it('a user whom a concurrent request erases leaves no vote and no rating, and gets 401', async () => {
  const { id } = await newProject();
  const user = await newUser();
  await eraseUser(user, { at: now(), projects: 'keep' }, []);
  await expect(toggleVote(user, id, undefined)).rejects.toEqual(UNAUTHORIZED);
  await expect(rateProject(user, id, 5)).rejects.toEqual(UNAUTHORIZED);
  expect([...(await itemsOf(id, 'vote')), ...(await itemsOf(id, 'rating'))]).toEqual([]);
  expect(await readCounts(id)).toMatchObject({ upvote_count: 0, ratings_count: 0, ratings_sum: 0 });
});

it('a user whom a concurrent request erases has reactions of a process that ended before it withdrew them deleted by the daily job', async () => {
  const { id } = await newProject();
  const [erased, other] = [await newUser(), await newUser()];
  await eraseUser(erased, { at: now(), projects: 'keep' }, []);
  for (const user of [erased, other]) {
    await setVote(id, user.id, undefined, undefined);
    await replaceRating(id, user.id, undefined, 2);
  }
  expect(await repeatErasures(Number.POSITIVE_INFINITY)).toEqual({ removed: 2, timedOut: false });
  expect(await readCounts(id)).toMatchObject({ upvote_count: 1, ratings_count: 1, ratings_sum: 2 });
  expect(await repeatErasures(Number.POSITIVE_INFINITY)).toEqual({ removed: 0, timedOut: false });
});
