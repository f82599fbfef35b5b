import { create } from '#contract/follows.ts';
import { created, handle, ok } from '#http/handle.ts';
import { createFollow } from '#services/follows/manage.ts';

export const handler = handle(create, async ({ user, body }) => {
  const { data, isNew } = await createFollow(user, body);
  return isNew ? created({ data }) : ok({ data });
});
