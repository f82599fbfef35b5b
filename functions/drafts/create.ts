import { create } from '#contract/drafts.ts';
import { created, handle } from '#http/handle.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { createDraft } from '#services/projects/drafts.ts';

export const handler = handle(
  create,
  async ({ user, body, seed }) => {
    const { data, version } = await createDraft(user, body.content, seed);
    return created({ data }, { version });
  },
  [idempotency],
);
