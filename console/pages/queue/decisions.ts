import { ApiError, client, dataOf } from '../../api.ts';
import { ifMatch, shownListing, undoDecision } from '../../app/listings.ts';
import { type Item, nameOf, projectOf, scheduledFor } from './items.ts';
import { filled } from './placeholders.ts';

/** A concurrent decision won, or the item changed after it was read. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 412 || (error.status === 409 && error.code === 'INVALID_TRANSITION'));

/** How an item is approved: an edit as a whole, or some of its fields. */
export interface Approval {
  readonly fields?: readonly string[];
  /** Publishes fields, too, that have changed since the edit. */
  readonly force?: boolean;
}

type Fields = NonNullable<NonNullable<Parameters<typeof client.revisions.approve>[0]['body']>['fields']>;

/**
 * Approves the version that was shown, or nothing. What is approved for later becomes public now.
 * @returns how to take it back; a listing that is approved for later has no revision to restore, and is rejected instead.
 */
export const approve = async (
  item: Item,
  { fields, force = false }: Approval = {},
): Promise<(() => Promise<unknown>) | undefined> => {
  const project = projectOf(item);
  if (item.kind === 'submission') {
    const { etag } = await shownListing(project);
    if (scheduledFor(item) !== null) {
      await dataOf(client.projects.edit({ params: { project }, ...ifMatch(etag), body: { status: 'live' } }));
      return undefined;
    }
    const { status } = await dataOf(client.projects.approve({ params: { project }, ...ifMatch(etag) }));
    return status === 'live' ? () => undoDecision(project) : undefined;
  }
  const { id: revision, etag } = item.revision;
  await dataOf(
    client.revisions.approve({
      params: { project, revision },
      headers: { 'if-match': `"${etag}"` },
      body: { force, ...(fields && { fields: [...fields] as Fields }) },
    }),
  );
  return () => dataOf(client.revisions.restore({ params: { project, revision } }));
};

/** Rejects the version that was shown, or nothing. @returns how to take it back; a rejected edit is gone. */
export const reject = async (item: Item, reason: string): Promise<(() => Promise<unknown>) | undefined> => {
  const project = projectOf(item);
  if (item.kind === 'submission') {
    const { etag } = await shownListing(project);
    await dataOf(client.projects.reject({ params: { project }, ...ifMatch(etag), body: { reason } }));
    return () => undoDecision(project);
  }
  const { id: revision, etag } = item.revision;
  await dataOf(
    client.revisions.reject({ params: { project, revision }, headers: { 'if-match': `"${etag}"` }, body: { reason } }),
  );
  return undefined;
};

type Submission = Extract<Item, { kind: 'submission' }>;

export interface BulkResult {
  readonly done: readonly Item[];
  readonly failures: readonly { readonly item: Item; readonly message: string }[];
}

/** Submissions that are rejected with the same text, by this text. */
const byReason = (submissions: readonly Submission[], reason: string): ReadonlyMap<string, readonly Submission[]> =>
  Map.groupBy(submissions, ({ project }) => filled(reason, project));

/** Decides about many items: submissions in one request for each reason, edits and scheduled ones one after the other. */
export const decideAll = async (
  items: readonly Item[],
  action: 'approve' | 'reject',
  reason: string,
): Promise<BulkResult> => {
  const done: Item[] = [];
  const failures: { item: Item; message: string }[] = [];
  const isSubmission = (item: Item): item is Submission => item.kind === 'submission' && scheduledFor(item) === null;
  const submissions = items.filter(isSubmission);
  const groups = action === 'approve' ? [['', submissions] as const] : byReason(submissions, reason);
  for (const [text, group] of groups) {
    if (group.length === 0) continue;
    const ids = group.map(({ id }) => id);
    const report = await dataOf(
      client.projects.bulk({ body: action === 'approve' ? { ids, action } : { ids, action, reason: text } }),
    );
    const results = 'results' in report ? report.results : [];
    for (const item of group) {
      const result = results.find(({ id }) => id === item.id);
      if (result?.ok) done.push(item);
      else failures.push({ item, message: result?.message ?? result?.error ?? nameOf(item) });
    }
  }
  for (const item of items.filter((one) => !isSubmission(one))) {
    try {
      if (action === 'approve') await approve(item);
      else await reject(item, filled(reason, (await shownListing(projectOf(item))).project));
      done.push(item);
    } catch (error) {
      failures.push({ item, message: (error as Error).message });
    }
  }
  return { done, failures };
};
