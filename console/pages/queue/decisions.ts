import { ApiError, client, dataOf } from '../../api.ts';
import { ifMatch, shownListing, undoDecision } from '../../app/listings.ts';
import { type Item, nameOf, projectOf } from './items.ts';

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

/** Approves the version that was shown, or nothing. @returns how to take it back. */
export const approve = async (
  item: Item,
  { fields, force = false }: Approval = {},
): Promise<() => Promise<unknown>> => {
  const project = projectOf(item);
  if (item.kind === 'submission') {
    const { etag } = await shownListing(project);
    await dataOf(client.projects.approve({ params: { project }, ...ifMatch(etag) }));
    return () => undoDecision(project);
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

export interface BulkResult {
  readonly done: readonly Item[];
  readonly failures: readonly { readonly item: Item; readonly message: string }[];
}

/** Decides about many items: submissions in one request, edits one after the other. */
export const decideAll = async (
  items: readonly Item[],
  action: 'approve' | 'reject',
  reason: string,
): Promise<BulkResult> => {
  const done: Item[] = [];
  const failures: { item: Item; message: string }[] = [];
  const submissions = items.filter(({ kind }) => kind === 'submission');
  if (submissions.length > 0) {
    const ids = submissions.map(({ id }) => id);
    const report = await dataOf(
      client.projects.bulk({ body: action === 'approve' ? { ids, action } : { ids, action, reason } }),
    );
    const results = 'results' in report ? report.results : [];
    for (const item of submissions) {
      const result = results.find(({ id }) => id === item.id);
      if (result?.ok) done.push(item);
      else failures.push({ item, message: result?.message ?? result?.error ?? nameOf(item) });
    }
  }
  for (const item of items.filter(({ kind }) => kind === 'edit')) {
    try {
      await (action === 'approve' ? approve(item) : reject(item, reason));
      done.push(item);
    } catch (error) {
      failures.push({ item, message: (error as Error).message });
    }
  }
  return { done, failures };
};
