import { Store } from './store.ts';

/** A value of this browser that outlives the session; nothing personal belongs here. */
export const stored = <T>(name: string, initial: T): Store<T> => {
  const key = `console.${name}`;
  const text = localStorage.getItem(key);
  const store = new Store<T>(text === null ? initial : (JSON.parse(text) as T));
  store.subscribe(() => localStorage.setItem(key, JSON.stringify(store.value)));
  return store;
};

/** Whether images of listings are loaded from their hosts. */
export const showsImages = stored('images', true);

/** Whether keys work as shortcuts outside of fields; those with Ctrl or Command always do. */
export const hasShortcuts = stored('shortcuts', true);

export const themes = ['auto', 'light', 'dark'] as const;

/** The colours of the console; `auto` are those of the system. */
export const theme = stored<(typeof themes)[number]>('theme', 'auto');

const applyTheme = (): void => {
  document.documentElement.style.colorScheme = theme.value === 'auto' ? '' : theme.value;
};
theme.subscribe(applyTheme);
applyTheme();

/** The columns of the listings that are hidden. */
export const hiddenColumns = stored<readonly string[]>('listings.hidden-columns', [
  'plan',
  'owner',
  'pricing',
  'rating',
  'updated',
]);

/** The keys of further fields that are columns of the listings. */
export const shownFields = stored<readonly string[]>('listings.shown-fields', []);

interface SavedView {
  readonly name: string;
  /** The filters and the order, as the query of the URL. */
  readonly query: string;
  readonly hidden?: readonly string[];
  readonly fields?: readonly string[];
}

/** Named filters of the listings with their columns. */
export const savedViews = stored<readonly SavedView[]>('listings.views', []);
