import { setTimeout as wait } from 'node:timers/promises';
import type { CallAnswer, CallOptions, Client } from '#test/support/client.ts';
import type { Person } from '#test/support/fixtures.ts';

/** Longer than any window of the limits that the service has by default, in seconds. */
const PATIENCE_SECONDS = 660;

interface Undoing {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** How what a request has made is taken away again, by the path of the request. */
const UNDOING: Readonly<Record<string, (id: string) => Undoing>> = {
  // Votes, ratings, comments and reports go with their project.
  '/api/projects': (id) => ({ method: 'DELETE', path: `/api/admin/projects/${id}` }),
  '/api/admin/categories': (id) => ({ method: 'DELETE', path: `/api/admin/categories/${id}` }),
  '/api/admin/webhooks': (id) => ({ method: 'DELETE', path: `/api/admin/webhooks/${id}` }),
  '/api/admin/promotions': (id) => ({
    method: 'PUT',
    path: `/api/admin/promotions/${id}`,
    body: { action: 'revoke', reason: 'Made by the conformance suite.' },
  }),
};

/** A client for a place that others use too. */
export interface TidyClient extends Client {
  /** Takes away what was made through this client, last made first. @throws with the ids of what is still there. */
  tidy(admin: Person): Promise<void>;
}

/** Waits when it is asked to, and remembers what it makes. */
export const tidyClient = (client: Client): TidyClient => {
  const made: Undoing[] = [];

  const call = async (method: string, path: string, options?: CallOptions): Promise<CallAnswer> => {
    const answer = await client.call(method, path, options);
    const { retryAfter } = (answer.body ?? {}) as { retryAfter?: number };
    if (answer.status === 429 && retryAfter !== undefined && retryAfter <= PATIENCE_SECONDS) {
      await wait(retryAfter * 1000);
      return await call(method, path, options);
    }
    const undoing = method === 'POST' && answer.status === 201 ? UNDOING[path] : undefined;
    if (undoing) made.push(undoing((answer.body as { data: { id: string } }).data.id));
    return answer;
  };

  return {
    ...client,
    call,
    tidy: async ({ token }) => {
      const left: string[] = [];
      for (const { method, path, body } of made.splice(0).toReversed()) {
        const { status } = await call(method, path, { token, ...(body !== undefined && { body }) });
        // Gone already, or in a state that needs nothing more.
        if (![200, 404, 409].includes(status)) left.push(`${method} ${path} answered ${status}`);
      }
      if (left.length > 0) throw new Error(`Something is left behind: ${left.join('; ')}.`);
    },
  };
};
