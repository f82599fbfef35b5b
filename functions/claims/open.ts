import { open } from '#contract/claims.ts';
import { created, handle } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { openClaim } from '#services/claims/open.ts';
import { getOpenProject } from '#services/projects/read.ts';

export const handler = handle(
  open,
  async ({ params, body, user, seed }) => created({ data: await openClaim(user, params.project, body, seed) }),
  [authorize(({ params }) => getOpenProject(params.project)), idempotency],
);
