import { update } from '#contract/collections.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getCollection, staffCollection, updateCollection } from '#services/collections.ts';

export const handler = handle(
  update,
  async ({ params, body, user, ifMatch }) => {
    const { data, version } = await staffCollection(
      await updateCollection(user, params.collection, body, ifMatch),
      user,
    );
    return ok({ data }, { version });
  },
  [authorize(({ params, user }) => getCollection(user, params.collection))],
);
