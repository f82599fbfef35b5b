import type { FieldChange, RevisionField } from '#contract/projects.ts';
import { type PendingEdit, REVISIONS_MAX, type RevisionDecision, type RevisionRecord } from '#model/revision.ts';
import {
  actorRevisionPartitions,
  inActorRevisions,
  inRevisionState,
  type Key,
  projectPartition,
  projectPrefix,
  revisionKey,
  revisionStatePartition,
} from './keys.ts';
import { collectionPages, countCollection, findRecord, type Item, keyOf, orNull, pageOfCollection } from './read.ts';
import { deleteItems, exists, is, updateItem, type Write } from './write.ts';

/** The changes as text: a new project has a dozen, of which each would be a map of its own. */
const textOf = (changes: readonly FieldChange[]): string =>
  JSON.stringify(changes.map(({ field, before, after }) => [field, before, after]));

type StoredChange = readonly [FieldChange['field'], FieldChange['before'], FieldChange['after']];

/** A revision in state `applied` has no attribute `applied`: it applied all of its changes. */
const contentOf = (item: Item): Pick<RevisionRecord, 'changes' | 'applied'> => {
  const stored = JSON.parse(String(item.changes)) as readonly StoredChange[];
  const changes = stored.map(([field, before, after]) => ({ field, before, after }));
  const applied =
    typeof item.applied === 'string'
      ? (JSON.parse(item.applied) as readonly RevisionField[])
      : changes.map(({ field }) => field);
  return { changes, applied };
};

const revisionItem = ({ changes, applied, note, ...revision }: RevisionRecord): Item & Key => ({
  ...revisionKey(revision.project_id, revision.id),
  ...(revision.actor_id !== null && inActorRevisions(revision.actor_id, revision.id)),
  ...(revision.state !== 'applied' && inRevisionState(revision.state, revision.at, revision.id)),
  type: 'revision',
  ...revision,
  changes: textOf(changes),
  ...(revision.state !== 'applied' && { applied: JSON.stringify(applied) }),
  ...(note !== null && { note }),
});

const revisionOf = (item: Item): RevisionRecord => ({
  id: String(item.id),
  project_id: String(item.project_id),
  at: String(item.at),
  actor_id: orNull(item.actor_id),
  cause: item.cause as RevisionRecord['cause'],
  state: item.state as RevisionRecord['state'],
  base_version: Number(item.base_version),
  etag: String(item.etag),
  note: orNull(item.note),
  ...contentOf(item),
});

export const revisionWrite = (revision: RevisionRecord): Write => ({ put: revisionItem(revision) });

/** The write that decides a waiting edit, for the transaction of the decision. */
export const decisionWrite = (projectId: string, { id, at }: PendingEdit, decision: RevisionDecision): Write => ({
  update: revisionKey(projectId, id),
  subject: `revision:${id}`,
  change: {
    set: {
      ...decision,
      changes: textOf(decision.changes),
      applied: JSON.stringify(decision.applied),
      ...inRevisionState(decision.state, at, id),
    },
  },
  when: is('state', 'pending'),
});

export const findRevision = (projectId: string, revisionId: string) =>
  findRecord(revisionKey(projectId, revisionId), revisionOf);

/** A page of the edits in a state, oldest first, with the exact total. */
export const pageOfRevisions = async (
  state: RevisionRecord['state'],
  skip: number,
  count: number,
): Promise<{ readonly revisions: RevisionRecord[]; readonly total: number }> => {
  const range = { partition: revisionStatePartition(state), index: 'feed' } as const;
  const total = await countCollection(range.partition, undefined, range.index);
  const items = skip < total ? await pageOfCollection(range, skip, count, total) : [];
  return { revisions: items.map(revisionOf), total };
};

const newestFirst = (projectId: string) =>
  ({ partition: projectPartition(projectId), prefix: projectPrefix.revisions, newestFirst: true }) as const;

/** The revisions of a project, newest first: the newest `REVISIONS_MAX`, and a waiting one. @param count how many are needed. */
export async function* revisionsOf(projectId: string, count: number): AsyncGenerator<RevisionRecord> {
  let kept = 0;
  for await (const items of collectionPages({ ...newestFirst(projectId), pageSize: count })) {
    for (const item of items) {
      if (item.state !== 'pending') kept += 1;
      if (item.state === 'pending' || kept <= REVISIONS_MAX) yield revisionOf(item);
    }
  }
}

/** Deletes the revisions of a project that are not kept. @returns how many. */
export const deleteOldRevisions = async (projectId: string): Promise<number> => {
  const decided: Key[] = [];
  for await (const items of collectionPages({ ...newestFirst(projectId), only: ['pk', 'sk', 'state'] })) {
    decided.push(...items.filter(({ state }) => state !== 'pending').map(keyOf));
  }
  const old = decided.slice(REVISIONS_MAX);
  await deleteItems(old);
  return old.length;
};

/** The stored revisions by a user, a page at a time. */
export async function* revisionPagesBy(userId: string): AsyncGenerator<readonly Item[]> {
  for (const partition of actorRevisionPartitions(userId)) {
    for await (const items of collectionPages({ partition, index: 'collection' })) {
      yield items.map((item) => ({ ...item, note: orNull(item.note), ...contentOf(item) }));
    }
  }
}

/** The keys of a user's revisions, a page at a time. */
export async function* revisionKeysBy(userId: string): AsyncGenerator<readonly Key[]> {
  for (const partition of actorRevisionPartitions(userId)) {
    const pages = collectionPages({ partition, index: 'collection', only: ['pk', 'sk'] });
    for await (const items of pages) yield items.map(keyOf);
  }
}

/** Removes the actor from a revision. @returns false when it does not exist any more. */
export const removeActor = async (key: Key): Promise<boolean> => {
  const change = { set: { actor_id: null }, remove: ['collection_pk', 'collection_sk'] };
  return (await updateItem(key, change, exists)) !== undefined;
};
