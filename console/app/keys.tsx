import { useEffect, useMemo } from 'react';
import { tinykeys } from 'tinykeys';
import { useLatest } from '../components/use-latest.ts';
import { Store } from './store.ts';

/** Shortcuts by tinykeys' notation, with what they do. */
export type Keys = Readonly<Record<string, { readonly label: string; readonly run: () => void }>>;

/** The shortcuts that work at present, for the list of all. */
export const activeKeys = new Store<readonly { readonly scope: 'everywhere' | 'here'; readonly keys: Keys }[]>([]);

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)));

/** `Enter` and the space bar belong to what has the focus. */
const isOwnKey = ({ key, target }: KeyboardEvent): boolean =>
  (key === 'Enter' || key === ' ') &&
  target instanceof HTMLElement &&
  target.closest('a, button, summary, input') !== null;

/** The first key of a sequence: the key after it belongs to the sequence and is no shortcut of its own. */
const PREFIX = 'g';
let isSequence = false;
let isPrefixed = false;
window.addEventListener(
  'keydown',
  ({ key, target }) => {
    isSequence = isPrefixed;
    isPrefixed = key === PREFIX && !isSequence && !isTyping(target);
  },
  { capture: true },
);

/** A character that needs Shift on some keyboards is matched with and without it. */
const spellingsOf = (name: string): readonly string[] => (/^[^\w ]$/.test(name) ? [name, `Shift+${name}`] : [name]);

/** Makes shortcuts work while the component is shown, outside of fields and dialogs. */
export const useKeys = (keys: Keys, scope: 'everywhere' | 'here' = 'here'): void => {
  const latest = useLatest(keys);
  // The component passes a new object at every rendering; only the set of keys matters here.
  const names = Object.keys(keys).join('\n');
  const bindings = useMemo(
    () =>
      Object.fromEntries(
        names.split('\n').flatMap((name) => {
          const listener = (event: KeyboardEvent) => {
            if (!name.includes('$mod') && (isTyping(event.target) || isOwnKey(event))) return;
            if (isSequence !== name.includes(' ') || document.querySelector('dialog[open]')) return;
            event.preventDefault();
            latest.current[name]?.run();
          };
          return spellingsOf(name).map((spelling) => [spelling, listener]);
        }),
      ),
    [names, latest],
  );
  useEffect(() => {
    const entry = { scope, keys: latest.current };
    activeKeys.set([...activeKeys.value, entry]);
    const stop = tinykeys(window, bindings, { ignore: () => false });
    return () => {
      stop();
      activeKeys.set(activeKeys.value.filter((one) => one !== entry));
    };
  }, [bindings, latest, scope]);
};
