import { scanTable } from './scan-table.ts';
import type { TestServer } from './server.ts';

interface Reactions {
  readonly votes: number;
  readonly ratings: number;
  readonly sum: number;
  readonly comments: number;
}

/** The counters of a project, and the numbers of stored items that they count: of votes those that are set and not held. */
export const countersAndItems = async (
  server: TestServer,
  projectId: string,
): Promise<{ counted: Reactions; stored: Reactions }> => {
  const items = (await scanTable(server)).filter(({ pk }) => String(pk).includes(projectId));
  const of = (type: string) => items.filter((item) => item.type === type);
  const counted = of('counts')[0] ?? {};
  return {
    counted: {
      votes: Number(counted.upvote_count ?? 0),
      ratings: Number(counted.ratings_count ?? 0),
      sum: Number(counted.ratings_sum ?? 0),
      comments: Number(counted.comments_count ?? 0),
    },
    stored: {
      votes: of('vote').filter(({ held, withdrawn }) => held !== true && withdrawn !== true).length,
      ratings: of('rating').length,
      sum: of('rating').reduce((sum, { rating }) => sum + Number(rating), 0),
      comments: of('comment').length,
    },
  };
};
