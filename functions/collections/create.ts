import { create } from '#contract/collections.ts';
import { created, handle } from '#http/handle.ts';
import { createCollection, staffCollection } from '#services/collections.ts';

export const handler = handle(create, async ({ body, user }) => {
  const { data, version } = await staffCollection(await createCollection(body), user);
  return created({ data }, { version });
});
