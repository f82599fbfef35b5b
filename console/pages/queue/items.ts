import { useMemo } from 'react';
import type { Project } from '#contract/projects.ts';
import type { QueuedRevision } from '#contract/revisions.ts';
import { bodyOf, client } from '../../api.ts';
import { useResource } from '../../app/queries.ts';

/** What waits for a decision: a submission, or an edit of a live listing. */
export type Item =
  | { readonly kind: 'submission'; readonly id: string; readonly at: string; readonly project: Project }
  | { readonly kind: 'edit'; readonly id: string; readonly at: string; readonly revision: QueuedRevision };

export const kinds = ['all', 'submissions', 'edits'] as const;
export type Kind = (typeof kinds)[number];

/** The queue is worked off from its beginning, so one page of each kind is enough. */
const LIMIT = 100;

export const nameOf = (item: Item): string =>
  item.kind === 'submission' ? item.project.name : item.revision.project.name;

export const projectOf = (item: Item): string =>
  item.kind === 'submission' ? item.project.id : item.revision.project.id;

const inOrder = (one: Item, other: Item): number =>
  one.at < other.at ? -1 : one.at > other.at ? 1 : one.id < other.id ? -1 : 1;

/** The items that wait, oldest first, and the number of all. */
export const useItems = (kind: Kind) => {
  const submissions = useResource(
    ['projects', 'queue'],
    (signal) => bodyOf(client.projects.browse({ query: { status: 'pending', sort: 'oldest', limit: LIMIT }, signal })),
    { poll: true, isEnabled: kind !== 'edits' },
  );
  const edits = useResource(
    ['revisions', 'queue'],
    (signal) => bodyOf(client.revisions.browse({ query: { limit: LIMIT }, signal })),
    { poll: true, isEnabled: kind !== 'submissions' },
  );
  const ofSubmissions = kind === 'edits' ? undefined : submissions.data;
  const ofEdits = kind === 'submissions' ? undefined : edits.data;
  const items = useMemo(
    () =>
      [
        ...(ofSubmissions?.data ?? []).map(
          (project): Item => ({ kind: 'submission', id: project.id, at: project.created_at, project }),
        ),
        ...(ofEdits?.data ?? []).map(
          (revision): Item => ({ kind: 'edit', id: revision.id, at: revision.at, revision }),
        ),
      ].sort(inOrder),
    [ofSubmissions, ofEdits],
  );
  const failed = [submissions, edits].find(({ isError, data }) => isError && data === undefined);
  const isReady = (kind === 'edits' || submissions.data) && (kind === 'submissions' || edits.data);
  return {
    items,
    total: (ofSubmissions?.meta.total ?? 0) + (ofEdits?.meta.total ?? 0),
    state: failed ? ('failed' as const) : isReady ? ('ready' as const) : ('loading' as const),
    error: failed?.error,
  };
};
