import { setTimeout as wait } from 'node:timers/promises';
import type { RunningServer } from './servers.ts';

interface Voter {
  /** @returns the number of votes. */
  stop(): Promise<number>;
}

const post = async (port: number, path: string, body: object, token?: string): Promise<unknown> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
};

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
    const path = `/api/projects/${slugs[votes % slugs.length]}/upvote`;
    const by = Math.floor(votes / slugs.length) % 2 === 0 ? 1 : -1;
    votes += 1;
    await Promise.all([post(service.port, path, {}, token), ...peers.map((peer) => post(peer.port, path, { by }))]);
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
