import { setTimeout as wait } from 'node:timers/promises';
import type { CallOptions, CallResponse, Client } from '#test/support/client.ts';
import type { Person } from '#test/support/fixtures.ts';

/** The longest `retryAfter` to wait for: longer than any default rate limit window, in seconds. */
const RETRY_AFTER_MAX_SECONDS = 660;

interface Cleanup {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** The request that deletes a created resource, by the path that created it. */
const CLEANUP: Readonly<Record<string, (id: string) => Cleanup>> = {
  // Votes, ratings, comments and reports are deleted with their project.
  '/api/projects': (id) => ({ method: 'DELETE', path: `/api/admin/projects/${id}` }),
  '/api/admin/categories': (id) => ({ method: 'DELETE', path: `/api/admin/categories/${id}` }),
  '/api/admin/webhooks': (id) => ({ method: 'DELETE', path: `/api/admin/webhooks/${id}` }),
  '/api/admin/promotions': (id) => ({
    method: 'PUT',
    path: `/api/admin/promotions/${id}`,
    body: { action: 'revoke', reason: 'Created by the conformance suite.' },
  }),
};

/** A client for a target that others use too. */
export interface TidyClient extends Client {
  /** Deletes what this client created, in reverse order. @throws Error with the resources that remain. */
  tidy(admin: Person): Promise<void>;
}

/** Retries rate-limited requests and records created resources. */
export const tidyClient = (client: Client): TidyClient => {
  const created: Cleanup[] = [];

  const call = async (method: string, path: string, options?: CallOptions): Promise<CallResponse> => {
    const response = await client.call(method, path, options);
    const { retryAfter } = (response.body ?? {}) as { retryAfter?: number };
    if (response.status === 429 && retryAfter !== undefined && retryAfter <= RETRY_AFTER_MAX_SECONDS) {
      await wait(retryAfter * 1000);
      return await call(method, path, options);
    }
    const cleanup = method === 'POST' && response.status === 201 ? CLEANUP[path] : undefined;
    if (cleanup) created.push(cleanup((response.body as { data: { id: string } }).data.id));
    return response;
  };

  return {
    ...client,
    call,
    tidy: async ({ token }) => {
      const remaining: string[] = [];
      for (const { method, path, body } of created.splice(0).toReversed()) {
        const { status } = await call(method, path, { token, ...(body !== undefined && { body }) });
        // 404: deleted already. 409: in a final state.
        if (![200, 404, 409].includes(status)) remaining.push(`${method} ${path} returned ${status}`);
      }
      if (remaining.length > 0) throw new Error(`Not deleted: ${remaining.join('; ')}.`);
    },
  };
};
