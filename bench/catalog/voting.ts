import { setTimeout as wait } from 'node:timers/promises';
import type { ProjectCounts, ProjectRecord } from '#model/project.ts';
import { trendingScore } from '#model/scores.ts';
import type { RunningServer } from './servers.ts';

interface Voter {
  /** @returns the number of votes. */
  stop(): Promise<number>;
}

/** The members of a listing from which its trending score follows. */
type Listing = Pick<ProjectRecord, 'published_at' | 'created_at'> &
  Pick<ProjectCounts, 'upvote_count' | 'comments_count' | 'ratings_count'>;

const send = async (port: number, path: string, init: RequestInit = {}): Promise<unknown> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
};

const post = (port: number, path: string, body: object, token?: string): Promise<unknown> =>
  send(port, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });

/**
 * Upvotes one listing after the other, and withdraws the votes in the next pass, in the service through its API and
 * equally in its peers. The measured directory thus changes continuously, and responses cannot be cached for long.
 */
export const startVoting = async (
  service: RunningServer,
  peers: readonly RunningServer[],
  slugs: readonly string[],
  perSecond: number,
): Promise<Voter> => {
  if (perSecond === 0) return { stop: async () => 0 };
  const { access_token: token } = (await post(service.port, '/_local/token', { email: 'bench@example.com' })) as {
    access_token: string;
  };
  const stopping = new AbortController();
  let votes = 0;
  const vote = async (): Promise<void> => {
    const listing = `/api/projects/${slugs[votes % slugs.length]}`;
    const by = Math.floor(votes / slugs.length) % 2 === 0 ? 1 : -1;
    votes += 1;
    await post(service.port, `${listing}/upvote`, {}, token);
    const { data } = (await send(service.port, listing)) as { data: Listing };
    const body = { by, hot: trendingScore(data, data) };
    await Promise.all(peers.map((peer) => post(peer.port, `${listing}/upvote`, body)));
  };
  const voting = (async () => {
    while (!stopping.signal.aborted) {
      await vote();
      await wait(1000 / perSecond, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  // `stop` throws the error.
  voting.catch(() => undefined);
  return {
    stop: async () => {
      stopping.abort();
      await voting;
      return votes;
    },
  };
};
