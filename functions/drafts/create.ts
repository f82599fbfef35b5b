import { create } from '#contract/drafts.ts';
import { created, handle } from '#http/handle.ts';
import { createDraft } from '#services/projects/drafts.ts';

export const handler = handle(create, async ({ user, body }) => {
  const { data, version } = await createDraft(user, body.content);
  return created({ data }, { version });
});
