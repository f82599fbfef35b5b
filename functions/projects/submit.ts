import { submit } from '#contract/projects.ts';
import { created, handle, ok } from '#http/handle.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { submitPremium } from '#services/payments/open.ts';
import { submitProject } from '#services/projects/submit.ts';

export const handler = handle(
  submit,
  async ({ body, user, seed }) => {
    if (body.plan === 'premium') return ok({ data: await submitPremium(user, body, seed) });
    const { id, slug, status } = await submitProject(user, body, seed);
    return created({ data: { id, slug, status } });
  },
  [idempotency],
);
