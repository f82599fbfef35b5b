import { useEffect } from 'react';
import { messageOf } from '../api.ts';
import { Button } from '../components/button.tsx';
import * as strings from '../strings.ts';
import { Store, useStore } from './store.ts';

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  readonly action: { readonly label: string; readonly run: () => void } | undefined;
}

/** How long a notice stays, and an action can be undone, in milliseconds. */
export const NOTICE_MS = 10_000;
const SHOWN_MAX = 3;

const notices = new Store<readonly Notice[]>([]);
let lastId = 0;

const dismiss = (id: number): void => notices.set(notices.value.filter((notice) => notice.id !== id));

const add = (text: string, isError: boolean, action?: Notice['action']): void => {
  lastId += 1;
  notices.set([...notices.value, { id: lastId, text, isError, action }].slice(-SHOWN_MAX));
};

/** Tells about a success. @param undo takes the action back while the notice is shown. */
export const notify = (text: string, undo?: () => Promise<unknown>): void =>
  add(text, false, undo && { label: strings.actions.undo, run: () => void perform(undo) });

/** Tells about a failure. */
export const notifyError = (error: unknown, retry?: () => void): void =>
  add(messageOf(error), true, retry && { label: strings.actions.retry, run: retry });

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

/** Takes the latest action back that can still be undone; one that runs is finished first. */
export const undoLatest = async (): Promise<void> => {
  try {
    await running;
  } catch {
    // The notice of the failure tells about it; the action before it is not the one to take back.
    return;
  }
  const latest = notices.value.findLast(({ action }) => action?.label === strings.actions.undo);
  if (!latest) return;
  dismiss(latest.id);
  latest.action?.run();
};

const NoticeView = ({ notice: { id, text, isError, action } }: { readonly notice: Notice }) => {
  useEffect(() => {
    // Errors stay until they are read.
    if (isError) return undefined;
    const timer = setTimeout(() => dismiss(id), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [id, isError]);
  return (
    <div className={isError ? 'notice bad' : 'notice'} role={isError ? 'alert' : 'status'}>
      <p>{text}</p>
      {action && (
        <Button
          onClick={() => {
            dismiss(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <Button kind="quiet" icon="close" label={strings.actions.dismiss} onClick={() => dismiss(id)} />
    </div>
  );
};

export const Notices = () => (
  <div className="notices">
    {useStore(notices).map((notice) => (
      <NoticeView key={notice.id} notice={notice} />
    ))}
  </div>
);
