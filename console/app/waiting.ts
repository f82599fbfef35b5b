import { bodyOf, client } from '../api.ts';
import { useResource } from './queries.ts';

/** What waits for a decision. */
export interface Waiting {
  readonly submissions: number;
  readonly revisions: number;
  /** The time of the oldest submission. */
  readonly oldestAt: string | undefined;
}

/** Counts what waits for a decision; the home page, the navigation and the queue share it. */
export const useWaiting = () =>
  useResource(
    ['projects', 'waiting'],
    async (signal): Promise<Waiting> => {
      const [submissions, revisions] = await Promise.all([
        bodyOf(client.projects.browse({ query: { status: 'pending', sort: 'oldest', limit: 1 }, signal })),
        bodyOf(client.revisions.browse({ query: { limit: 1 }, signal })),
      ]);
      return {
        submissions: submissions.meta.total,
        revisions: revisions.meta.total,
        oldestAt: submissions.data[0]?.created_at,
      };
    },
    { poll: true },
  );
