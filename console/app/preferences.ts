import { Store } from './store.ts';

/** A value of this browser that outlives the session; nothing personal belongs here. */
const stored = <T>(name: string, initial: T): Store<T> => {
  const key = `console.${name}`;
  const text = localStorage.getItem(key);
  const store = new Store<T>(text === null ? initial : (JSON.parse(text) as T));
  store.subscribe(() => localStorage.setItem(key, JSON.stringify(store.value)));
  return store;
};

/** Whether images of listings are loaded from their hosts. */
export const showsImages = stored('images', true);

/** The columns of the listings that are hidden. */
export const hiddenColumns = stored<readonly string[]>('listings.hidden-columns', ['pricing', 'rating', 'updated']);

/** Named filters of the listings, as the query of their address. */
export const savedViews = stored<readonly { readonly name: string; readonly query: string }[]>('listings.views', []);
