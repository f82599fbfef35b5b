import { useMemo } from 'react';
import type { Project } from '#contract/projects.ts';
import type { QueuedRevision } from '#contract/revisions.ts';
import { bodyOf, client, dataOf } from '../../api.ts';
import { usePending } from '../../app/listings.ts';
import { useResource } from '../../app/queries.ts';
import { isOn } from '../../app/session.ts';

/** What waits for a decision: a submission, or an edit of a live listing. */
export type Item =
  | { readonly kind: 'submission'; readonly id: string; readonly at: string; readonly project: Project }
  | { readonly kind: 'edit'; readonly id: string; readonly at: string; readonly revision: QueuedRevision };

export const kinds = ['all', 'submissions', 'edits', 'scheduled'] as const;
export type Kind = (typeof kinds)[number];

/** What the address keeps of the list: its order and what it leaves out. */
export interface Filters {
  readonly kind: Kind;
  readonly order: 'oldest' | 'risk';
  /** A slug; empty for all. */
  readonly category: string;
  /** The id of a user; empty for all. */
  readonly submitter: string;
  /** The name of a rule; empty for all. */
  readonly rule: string;
}

export const filtersOf = (url: URLSearchParams): Filters => ({
  kind: kinds.find((one) => one === url.get('kind')) ?? 'all',
  order: url.get('order') === 'risk' ? 'risk' : 'oldest',
  category: url.get('category') ?? '',
  submitter: url.get('submitter') ?? '',
  rule: url.get('rule') ?? '',
});

/** Whether an item is in a filtered list. Edits say neither of what category nor by whom their listing is. */
export const matches = (item: Item, { category, submitter, rule }: Filters): boolean => {
  if (category === '' && submitter === '' && rule === '') return true;
  if (item.kind === 'edit') return false;
  const { project } = item;
  return (
    (category === '' || project.categories.includes(category)) &&
    (submitter === '' || project.owner_id === submitter) &&
    (rule === '' || project.rule?.name === rule)
  );
};

/** The queue is worked off from its beginning, so one page of edits is enough. */
const LIMIT = 100;

export const nameOf = (item: Item): string =>
  item.kind === 'submission' ? item.project.name : item.revision.project.name;

/** When a submission that is approved for later becomes public; null for what waits for a decision. */
export const scheduledFor = (item: Item): string | null => {
  if (item.kind === 'edit') return null;
  const { approved_at = null, publish_at = null } = item.project;
  return approved_at === null ? null : publish_at;
};

export const projectOf = (item: Item): string =>
  item.kind === 'submission' ? item.project.id : item.revision.project.id;

const placeOf = (item: Item): string => `${scheduledFor(item) ?? item.at} ${item.id}`;

const inOrder = (one: Item, other: Item): number => (placeOf(one) < placeOf(other) ? -1 : 1);

/**
 * What became of an item that the list does not have any more. An item can also have left the list because older ones have
 * come; it still waits then.
 */
export const useOutcome = (
  item: Item,
  isMissing: boolean,
): { readonly isDecided: boolean; readonly by: string | undefined } | undefined => {
  const project = projectOf(item);
  const { data } = useResource(
    ['revisions', 'outcome', item.id],
    async (signal) => {
      const revisions = await dataOf(client.revisions.list({ params: { project }, signal }));
      if (item.kind === 'edit') {
        const own = revisions.find(({ id }) => id === item.id);
        return { isDecided: own?.state !== 'pending', by: own?.actor?.name ?? undefined };
      }
      const latest = revisions.find(({ applied }) => applied.includes('status') || applied.includes('deleted_at'));
      const status = latest?.changes.find(({ field }) => field === 'status')?.after;
      return { isDecided: status !== 'pending', by: latest?.actor?.name ?? undefined };
    },
    { isEnabled: isMissing },
  );
  return isMissing ? data : undefined;
};

/**
 * The edit of an item with whole values, of which the list may have cut some. A decision names the state that was shown, so the
 * edit is undefined until that state is read.
 */
export const useWholeRevision = (item: Item) => {
  const listed = item.kind === 'edit' ? item.revision : undefined;
  const isCut = listed?.changes.some(({ truncated }) => truncated) ?? false;
  const query = useResource(
    ['revisions', 'whole', listed?.id, listed?.etag],
    (signal) => dataOf(client.revisions.browse({ query: { project: projectOf(item), limit: 1 }, signal })),
    { isEnabled: isCut },
  );
  return { query, revision: isCut ? query.data?.find(({ etag }) => etag === listed?.etag) : listed };
};

const submissionItem = (project: Project): Item => ({
  kind: 'submission',
  id: project.id,
  at: project.created_at,
  project,
});

/** The items that wait, oldest first, or those that are scheduled, the next first; and the number of all. */
export const useItems = (kind: Kind) => {
  const submissions = usePending('false');
  const scheduled = usePending('true', { isEnabled: isOn('drafts') });
  const edits = useResource(
    ['revisions', 'queue'],
    (signal) => bodyOf(client.revisions.browse({ query: { limit: LIMIT }, signal })),
    { poll: true },
  );
  const ofSubmissions = kind === 'edits' ? undefined : kind === 'scheduled' ? scheduled.data : submissions.data;
  const ofEdits = kind === 'submissions' || kind === 'scheduled' ? undefined : edits.data;
  const items = useMemo(
    () =>
      [
        ...(ofSubmissions?.data ?? []).map(submissionItem),
        ...(ofEdits?.data ?? []).map(
          (revision): Item => ({ kind: 'edit', id: revision.id, at: revision.at, revision }),
        ),
      ].sort(inOrder),
    [ofSubmissions, ofEdits],
  );
  const read = { all: [submissions, edits], submissions: [submissions], edits: [edits], scheduled: [scheduled] }[kind];
  const failed = [submissions, edits, scheduled].find(({ isError, data }) => isError && data === undefined);
  const isReady = read.every(({ data }) => data !== undefined);
  return {
    items,
    counts: {
      submissions: submissions.data?.meta.total,
      edits: edits.data?.meta.total,
      scheduled: scheduled.data?.meta.total,
    },
    total: (ofSubmissions?.meta.total ?? 0) + (ofEdits?.meta.total ?? 0),
    state: failed ? ('failed' as const) : isReady ? ('ready' as const) : ('loading' as const),
    error: failed?.error,
  };
};
