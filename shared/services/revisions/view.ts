import type { Revision, RevisionCause } from '#contract/revisions.ts';
import { findUsers } from '#data/users.ts';
import type { RevisionRecord } from '#model/revision.ts';
import type { UserRecord } from '#model/user.ts';

/** Who reads a revision. */
type Audience = 'owner' | 'staff';

/** The causes of changes by owners; the actors of all others are administrators. */
const OWN_CAUSES: ReadonlySet<RevisionCause> = new Set(['submitted', 'edited', 'payment']);

const actorView = (user: UserRecord | undefined): Revision['actor'] =>
  user?.erased_at === null ? { id: user.id, name: user.name } : null;

/** The response for a revision. Owners do not learn which administrator made a change, nor their remarks. */
const revisionView = (
  { project_id, actor_id, note, ...revision }: RevisionRecord,
  users: ReadonlyMap<string, UserRecord>,
  audience: Audience,
): Revision => ({
  id: revision.id,
  project_id,
  at: revision.at,
  actor:
    actor_id !== null && (audience === 'staff' || OWN_CAUSES.has(revision.cause))
      ? actorView(users.get(actor_id))
      : null,
  cause: revision.cause,
  state: revision.state,
  base_version: revision.base_version,
  etag: revision.etag,
  changes: [...revision.changes],
  applied: [...revision.applied],
  ...(audience === 'staff' && { note }),
});

/** The responses for revisions, with the names of their actors. */
export const revisionViews = async (revisions: readonly RevisionRecord[], audience: Audience): Promise<Revision[]> => {
  const actorIds = revisions.flatMap(({ actor_id }) => actor_id ?? []);
  const users = await findUsers([...new Set(actorIds)]);
  return revisions.map((revision) => revisionView(revision, users, audience));
};
