import { exists } from './conditions.ts';
import { userKey } from './keys.ts';
import { updateItem } from './write.ts';

/**
 * Makes a user an administrator.
 * @returns whether there is such a user.
 */
export const makeAdmin = async (userId: string): Promise<boolean> =>
  (await updateItem(userKey(userId), { set: { role: 'admin', is_admin: true } }, exists)) !== undefined;
