import { type ReactNode, useEffect, useRef, useState } from 'react';
import { messageOf, OtherUserError } from '../api.ts';
import { Button } from '../components/button.tsx';
import * as strings from '../strings.ts';
import { onUserEnd } from './session.ts';
import { Store, useStore } from './store.ts';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  readonly undo: (() => Promise<unknown>) | undefined;
  readonly retry: (() => void) | undefined;
}

/** How long a toast stays, and an action can be undone, in milliseconds. */
const TOAST_MS = 10_000;
const TICK_MS = 250;
/** Further ones without an action are not shown; what can be undone is one entry. */
const SHOWN_MAX = 3;

const toasts = new Store<readonly Toast[]>([]);
/** The time that is left, by id. */
const left = new Map<number, number>();
let lastId = 0;

onUserEnd(() => toasts.set([]));

const dismiss = (...ids: readonly number[]): void => {
  for (const id of ids) left.delete(id);
  toasts.set(toasts.value.filter(({ id }) => !ids.includes(id)));
};

const add = (toast: Omit<Toast, 'id'>): void => {
  lastId += 1;
  // Errors stay until they are read.
  if (!toast.isError) left.set(lastId, TOAST_MS);
  const others = toasts.value.filter(({ undo }) => !undo);
  const dropped = others.slice(0, Math.max(0, others.length - SHOWN_MAX + 1));
  toasts.set([...toasts.value.filter((one) => !dropped.includes(one)), { ...toast, id: lastId }]);
};

/** Shows a success. @param undo reverts the action while the toast is shown. */
export const notify = (text: string, undo?: () => Promise<unknown>): void =>
  add({ text, isError: false, undo, retry: undefined });

/** Shows a failure. The action is not offered again when another user has signed in. */
export const notifyError = (error: unknown, retry?: () => void): void =>
  add({
    text: messageOf(error),
    isError: true,
    undo: undefined,
    retry: error instanceof OtherUserError ? undefined : retry,
  });

/** The action that runs, the latest of several. */
let running: Promise<unknown> | undefined;

/** Runs an action and shows its failure with `Retry`. @returns undefined after a failure. */
export const perform = async <T,>(action: () => Promise<T>): Promise<T | undefined> => {
  const result = action();
  running = result;
  try {
    return await result;
  } catch (error) {
    notifyError(error, () => void perform(action));
    return undefined;
  } finally {
    if (running === result) running = undefined;
  }
};

/** Undoes actions, the latest first, one after the other: a later one can depend on an earlier one. */
const undoAll = async (undone: readonly Toast[]): Promise<void> => {
  dismiss(...undone.map(({ id }) => id));
  for (const { undo } of undone.toReversed()) if (undo) await perform(undo);
};

/** Undoes the latest action that can still be undone; a running one is finished first. */
export const undoLatest = async (): Promise<void> => {
  try {
    await running;
  } catch {
    // The failure is shown, and the action before it is not the one to undo.
    return;
  }
  await undoAll(toasts.value.filter(({ undo }) => undo).slice(-1));
};

const Dismiss = ({ ids }: { readonly ids: readonly number[] }) => (
  <Button kind="quiet" icon="close" label={strings.actions.dismiss} onClick={() => dismiss(...ids)} />
);

/** What can be undone: the latest action by itself, and all of them. */
const Undoable = ({ all }: { readonly all: readonly Toast[] }) => {
  const latest = all.at(-1);
  if (!latest) return null;
  return (
    <div className="toast" role="status">
      <p>{latest.text}</p>
      {all.length > 1 && (
        <Button onClick={() => void undoAll(all)}>{strings.actions.counted(strings.actions.undo, all.length)}</Button>
      )}
      <Button onClick={() => void undoAll([latest])}>{strings.actions.undo}</Button>
      <Dismiss ids={all.map(({ id }) => id)} />
    </div>
  );
};

/** The time of toasts stands still while the pointer or the focus is on one of them. */
export const Toasts = ({ children }: { readonly children: ReactNode }) => {
  const all = useStore(toasts);
  const region = useRef<HTMLDivElement>(null);
  const [isHovered, setHovered] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const isRunning = all.some(({ isError }) => !isError) && !isHovered && !isFocused;
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => {
      const ended: number[] = [];
      for (const [id, time] of left) {
        left.set(id, time - TICK_MS);
        if (time <= TICK_MS) ended.push(id);
      }
      if (ended.length > 0) dismiss(...ended);
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  // What sticks to the bottom of the window, and the end of the page, stay above the toasts.
  useEffect(() => {
    const element = region.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() =>
      document.documentElement.style.setProperty('--notices', `${element.offsetHeight}px`),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // A toast that is removed under the pointer or with the focus reports no end of either.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the toasts decide what is in the region.
  useEffect(() => {
    setHovered(region.current?.matches(':hover') ?? false);
    setFocused(region.current?.contains(document.activeElement) ?? false);
  }, [all]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its buttons are the controls.
    <div
      ref={region}
      className="toasts"
      onMouseEnter={() => setHovered(true)}
      onMouseLeave={() => setHovered(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      {all
        .filter(({ undo }) => !undo)
        .map(({ id, text, isError, retry }) => (
          <div key={id} className={isError ? 'toast bad' : 'toast'} role={isError ? 'alert' : 'status'}>
            <p>{text}</p>
            {retry && (
              <Button
                onClick={() => {
                  dismiss(id);
                  retry();
                }}
              >
                {strings.actions.retry}
              </Button>
            )}
            <Dismiss ids={[id]} />
          </div>
        ))}
      {children}
      <Undoable all={all.filter(({ undo }) => undo)} />
    </div>
  );
};
