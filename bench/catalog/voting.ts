import { setTimeout as wait } from 'node:timers/promises';
import type { Contender } from './contenders.ts';

/** Somebody who upvotes one listing after the other and takes it back the next time around. */
export interface Voter {
  /** @returns how many votes there were. */
  stop(): Promise<number>;
}

const post = async (port: number, path: string, body: object, token?: string): Promise<unknown> => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
};

/**
 * Votes in the service, through its interface like any visitor, and the same in its peers: what is measured meanwhile is a
 * directory in use, in which no answer stays right for long.
 */
export const startVoting = async (
  service: Contender,
  peers: readonly Contender[],
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
  // Whoever stops it hears of a failure.
  voting.catch(() => undefined);
  return {
    stop: async () => {
      stopping.abort();
      await voting;
      return votes;
    },
  };
};
