import { useEffect } from 'react';
import { useLatest } from '../components/use-latest.ts';
import { hasShortcuts } from './preferences.ts';
import { Store } from './store.ts';

/** Shortcuts with what they do: a key, `g` and a key, or `$mod+` and a key, which is Command on a Mac and Ctrl elsewhere. */
export type Keys = Readonly<Record<string, { readonly label: string; readonly run: () => void }>>;

interface Entry {
  readonly scope: 'everywhere' | 'here';
  /** Called at every key press, because shortcuts depend on what is shown. */
  readonly keys: Keys;
}

/** The shortcuts that work at present, for the list of all. */
export const activeKeys = new Store<readonly Entry[]>([]);

export const isMac = /Mac|iPod|iPhone|iPad/.test(navigator.platform);

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
const SEQUENCE_MS = 1000;
let prefixedAt = Number.NEGATIVE_INFINITY;

/** Keys that are held down move through a list; every other shortcut runs once per press. */
const REPEATED = new Set(['j', 'k']);

/** How long after a typed letter the next one still belongs to the text, in milliseconds. */
const TYPING_MS = 2000;
let typedAt = Number.NEGATIVE_INFINITY;

/** Whether the user was typing in a field that was removed, so that the key must not act as a shortcut. */
const isRestOfText = ({ key, target, timeStamp, ctrlKey, metaKey }: KeyboardEvent): boolean => {
  const isText = !ctrlKey && !metaKey && (key.length === 1 || key === 'Backspace' || key === 'Dead');
  const isRest = isText && timeStamp - typedAt < TYPING_MS;
  if (!isText) typedAt = Number.NEGATIVE_INFINITY;
  else if (isRest || isTyping(target)) typedAt = timeStamp;
  return isRest && !isTyping(target);
};
window.addEventListener(
  'pointerdown',
  () => {
    typedAt = Number.NEGATIVE_INFINITY;
  },
  { capture: true },
);

/** The name of a pressed key in the notation of shortcuts; undefined for a combination that no shortcut has. */
const nameOf = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string | undefined => {
  const name = key.length === 1 ? key.toLowerCase() : key;
  if (isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey) return `$mod+${name}`;
  // A character such as `?` needs Shift on some keyboards and Alt on others.
  const isCharacter = /^[^\w ]$/.test(key);
  return ctrlKey || metaKey || ((altKey || shiftKey) && !isCharacter) ? undefined : name;
};

const onKeyDown = (event: KeyboardEvent): void => {
  const { target, timeStamp, repeat } = event;
  const isRest = isRestOfText(event);
  const isSequence = timeStamp - prefixedAt < SEQUENCE_MS;
  prefixedAt = Number.NEGATIVE_INFINITY;
  const name = nameOf(event);
  if (name === undefined || isRest || event.isComposing) return;
  if (name === '$mod+Enter' && !repeat && target instanceof Element && isTyping(target)) {
    const submit = target.closest('form')?.querySelector<HTMLButtonElement>('button[type="submit"]:not(:disabled)');
    if (submit) event.preventDefault();
    submit?.click();
    return;
  }
  const isCombination = name.startsWith('$mod');
  if (!isCombination && (!hasShortcuts.value || isTyping(target) || isOwnKey(event))) return;
  if ((repeat && !REPEATED.has(name)) || document.querySelector('dialog[open]')) return;
  if (name === PREFIX && !isSequence) {
    prefixedAt = timeStamp;
    return;
  }
  const wanted = isSequence ? `${PREFIX} ${name}` : name;
  const found = activeKeys.value.filter(({ keys }) => wanted in keys);
  if (found.length === 0) return;
  event.preventDefault();
  for (const { keys } of found) keys[wanted]?.run();
};
window.addEventListener('keydown', onKeyDown);

/** Makes shortcuts work while the component is shown, outside of fields and dialogs. */
export const useKeys = (keys: Keys, scope: Entry['scope'] = 'here'): void => {
  const latest = useLatest(keys);
  useEffect(() => {
    const entry: Entry = {
      scope,
      get keys() {
        return latest.current;
      },
    };
    activeKeys.set([...activeKeys.value, entry]);
    return () => activeKeys.set(activeKeys.value.filter((one) => one !== entry));
  }, [latest, scope]);
};
