import { useCallback, useEffect, useState } from 'react';
import type { AroundNavHandler } from 'wouter';
import { Button } from '../components/button.tsx';
import { Dialog, DialogActions } from '../components/dialog.tsx';
import * as strings from '../strings.ts';
import { unsent } from './connection.ts';
import { onUserEnd } from './session.ts';
import { Store, useStore } from './store.ts';

/** The forms with unsaved words. */
const forms = new Set<symbol>();

onUserEnd(() => forms.clear());

/** The action that waits for the answer. */
const asked = new Store<(() => void) | undefined>(undefined);

/**
 * Keeps a form from being left without a question while it has unsaved words.
 * @param failure of an attempt to save, after which the words are unsaved again.
 * @returns what ends that, before a form that was saved leads elsewhere.
 */
export const useUnsaved = (isDirty: boolean, failure?: unknown): (() => void) => {
  const [form] = useState(() => Symbol('form'));
  const release = useCallback(() => void forms.delete(form), [form]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another failure the words are unsaved again.
  useEffect(() => {
    if (!isDirty) return undefined;
    forms.add(form);
    return release;
  }, [isDirty, failure, form, release]);
  return release;
};

/** Leaves what is open, after a question when words would be lost. */
export const leave = (run: () => void): void => {
  if (forms.size === 0) run();
  else asked.set(run);
};

/** The number of the current entry in the history of this tab, to return to when it is not left after all. */
let at = (history.state as { at?: number } | null)?.at ?? 0;
let address = location.pathname + location.search;
/** A step back that this module made itself. */
let isReturning = false;

/** Wraps every navigation of the router. */
export const aroundNav: AroundNavHandler = (navigate, to, options) =>
  leave(() => {
    if (!options?.replace) at += 1;
    navigate(to, { ...options, state: { at } });
    address = location.pathname + location.search;
  });

// Runs before the router learns of the step.
window.addEventListener('popstate', (event) => {
  const before = at;
  const now = (event.state as { at?: number } | null)?.at ?? 0;
  const isSame = location.pathname + location.search === address;
  if (isReturning || (forms.size > 0 && !isSame)) event.stopImmediatePropagation();
  if (isReturning) {
    isReturning = false;
  } else if (forms.size > 0 && !isSame) {
    isReturning = true;
    history.go(before - now || 1);
    leave(() => history.go(now - before || -1));
  } else {
    at = now;
    address = location.pathname + location.search;
  }
});

window.addEventListener('beforeunload', (event) => {
  if (forms.size > 0 || unsent.value > 0) event.preventDefault();
});

/** Asks whether unsaved words may be lost. */
export const UnsavedQuestion = () => {
  const run = useStore(asked);
  if (!run) return null;
  const close = () => asked.set(undefined);
  return (
    <Dialog title={strings.unsaved.title} onClose={close}>
      <p>{strings.unsaved.text}</p>
      <DialogActions>
        <Button kind="primary" onClick={close}>
          {strings.unsaved.stay}
        </Button>
        <Button
          kind="danger"
          onClick={() => {
            forms.clear();
            close();
            run();
          }}
        >
          {strings.unsaved.leave}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
