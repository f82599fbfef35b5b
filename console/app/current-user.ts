import type { User } from '#contract/users.ts';
import { session } from './session.ts';
import { useStore } from './store.ts';

/** The signed-in user. Pages are shown to one only. */
export const useCurrentUser = (): User => {
  const current = useStore(session);
  if (current.state !== 'signed-in') throw new Error('No user is signed in.');
  return current.user;
};
