import { type ReactNode, useState } from 'react';
import * as strings from '../strings.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { ErrorMessage } from './error-message.tsx';
import { TextField } from './fields.tsx';

/** Asks before an action that cannot be undone. @param phrase has to be typed first. */
export const Confirm = ({
  title,
  action,
  phrase,
  isReady = true,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string;
  readonly action: string;
  readonly phrase?: string;
  /** Whether what is asked for was answered. */
  readonly isReady?: boolean;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}) => {
  const [typed, setTyped] = useState('');
  const [state, setState] = useState<'asking' | 'running' | { readonly error: unknown }>('asking');
  const run = async () => {
    setState('running');
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setState({ error });
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {children}
        {phrase !== undefined && <TextField name="confirmation" value={typed} onChange={setTyped} />}
        {typeof state === 'object' && <ErrorMessage error={state.error} />}
        <DialogActions>
          <Button onClick={onClose}>{strings.actions.cancel}</Button>
          <Button
            kind="danger primary"
            type="submit"
            isDisabled={state === 'running' || !isReady || (phrase !== undefined && typed.trim() !== phrase.trim())}
          >
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
