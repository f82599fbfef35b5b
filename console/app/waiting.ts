import { client, dataOf } from '../api.ts';
import { queries, useResource } from './queries.ts';

const KEY = ['projects', 'waiting'] as const;

interface Counts {
  readonly pending: number;
  readonly revisions_pending: number;
}

/** Takes submissions and edits off the count that were decided just now, before the service has counted them. */
export const countDecided = (submissions: number, edits: number): void =>
  void queries.setQueryData<Counts>(
    KEY,
    (before) =>
      before && {
        ...before,
        pending: Math.max(0, before.pending - submissions),
        revisions_pending: Math.max(0, before.revisions_pending - edits),
      },
  );

/** What waits for the staff; the home page and the navigation share it. Refreshed with every change of listings. */
export const useWaiting = () => useResource(KEY, (signal) => dataOf(client.summary.read({ signal })), { poll: true });
