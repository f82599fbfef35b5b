import { header, type MiddlewareRequest } from '#http/call.ts';
import type { RouteMiddleware } from '#http/middleware.ts';
import { isJobSecret } from '#platform/secret.ts';
import { unauthorized } from '#shared/errors.ts';

/** Admits only callers of a job's route that present the shared secret as a bearer token; 401 for all others. */
export const jobSecret: RouteMiddleware = {
  name: 'jobSecret',
  runsAfter: 'identity',
  before: async ({ event }: MiddlewareRequest): Promise<void> => {
    const presented = /^bearer +(\S.*)$/i.exec(header(event, 'authorization') ?? '')?.[1];
    if (presented === undefined || !(await isJobSecret(presented))) throw unauthorized();
  },
};
