import { type ReactNode, useState } from 'react';
import { messageOf } from '../api.ts';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';

/** A dialog with a form; a failure keeps it open with its message. @param children gets the failure. */
export const FormDialog = ({
  title,
  action,
  onSubmit,
  onClose,
  children,
}: {
  readonly title: string;
  readonly action: string;
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: (error: unknown) => ReactNode;
}) => {
  const [error, setError] = useState<unknown>();
  const submit = async () => {
    try {
      await onSubmit();
      onClose();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {children(error)}
        {error !== undefined && (
          <p className="message bad" role="alert">
            {messageOf(error)}
          </p>
        )}
        <DialogActions>
          <Button onClick={onClose}>{strings.actions.cancel}</Button>
          <Button kind="primary" type="submit">
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
