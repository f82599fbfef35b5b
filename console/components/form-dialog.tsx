import { type ReactNode, useState } from 'react';
import * as strings from '../strings.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { ErrorMessage } from './error-message.tsx';

/**
 * A dialog with a form. It closes after it was submitted; a failure keeps it open with its message.
 * @param isReady whether the form can be submitted.
 * @param preview is another button, which shows what submitting would do and keeps the dialog open.
 * @param children gets the failure.
 */
export const FormDialog = ({
  title,
  action,
  kind = 'primary',
  isReady = true,
  isWide = false,
  preview,
  onSubmit,
  onClose,
  children,
}: {
  readonly title: string;
  readonly action: string;
  readonly kind?: 'primary' | 'danger primary';
  readonly isReady?: boolean;
  readonly isWide?: boolean;
  readonly preview?: { readonly action: string; readonly run: () => Promise<void> };
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: (error: unknown) => ReactNode;
}) => {
  const [error, setError] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const run = async (work: () => Promise<void>, after?: () => void) => {
    setRunning(true);
    setError(undefined);
    try {
      await work();
      after?.();
    } catch (failure) {
      setError(failure);
    } finally {
      setRunning(false);
    }
  };
  const isDisabled = isRunning || !isReady;
  return (
    <Dialog title={title} isWide={isWide} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isDisabled) void run(onSubmit, onClose);
        }}
      >
        {children(error)}
        <ErrorMessage error={error} />
        <DialogActions>
          <Button onClick={onClose}>{strings.actions.cancel}</Button>
          {preview && (
            <Button isDisabled={isDisabled} onClick={() => void run(preview.run)}>
              {preview.action}
            </Button>
          )}
          <Button kind={kind} type="submit" isDisabled={isDisabled}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
