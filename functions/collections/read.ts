import { read } from '#contract/collections.ts';
import { handle, ok } from '#http/handle.ts';
import { readCollection } from '#services/collections.ts';

export const handler = handle(read, async ({ params, user }) => {
  const { data, version } = await readCollection(user, params.collection);
  return ok({ data }, { version });
});
