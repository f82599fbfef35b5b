import { every, exists, lacks } from './conditions.ts';
import { amongChangedUsers, userKey, usersPartition } from './keys.ts';
import { collectionPages } from './read.ts';
import { updateItem } from './write.ts';

/**
 * Makes a user an administrator.
 * @returns whether there is such a user; an erased one is none.
 */
export const makeAdmin = async (userId: string): Promise<boolean> => {
  const change = {
    set: { role: 'admin', is_admin: true, role_decided: true },
    add: { version: 1 },
  };
  const inFeed = (changedAt: string) => amongChangedUsers(changedAt, userId);
  return (await updateItem(userKey(userId), change, every(exists, lacks('erased_at')), inFeed)) !== undefined;
};

/** Ids of the users with an address. It walks all users: for commands that are given by hand. */
export const userIdsByEmail = async (email: string): Promise<string[]> => {
  const wanted = email.trim().toLowerCase();
  const found: string[] = [];
  const pages = collectionPages({ partition: usersPartition, index: 'collection' });
  for await (const items of pages) {
    for (const item of items) if (item.email === wanted) found.push(String(item.id));
  }
  return found;
};
