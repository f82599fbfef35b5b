import { read } from '#contract/drafts.ts';
import { handle, ok } from '#http/handle.ts';
import { readDraft } from '#services/projects/drafts.ts';

export const handler = handle(read, async ({ user, params }) => {
  const { data, version } = await readDraft(user, params.draft);
  return ok({ data }, { version });
});
