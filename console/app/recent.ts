import { onUserEnd } from './session.ts';
import { Store } from './store.ts';

interface Recent {
  readonly id: string;
  readonly name: string;
}

const RECENT_MAX = 5;

/** The listings that were opened last, the latest first; in memory only. */
export const recentListings = new Store<readonly Recent[]>([]);

onUserEnd(() => recentListings.set([]));

export const rememberListing = ({ id, name }: Recent): void => {
  const others = recentListings.value.filter((one) => one.id !== id);
  recentListings.set([{ id, name }, ...others].slice(0, RECENT_MAX));
};
