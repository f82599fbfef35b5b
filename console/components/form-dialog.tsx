import { type ReactNode, useRef, useState } from 'react';
import { leave, useUnsaved } from '../app/unsaved.tsx';
import * as strings from '../strings.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { ErrorMessage } from './error-message.tsx';
import { useInvalidFocus } from './use-invalid-focus.ts';

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
  const [isTouched, setTouched] = useState(false);
  const release = useUnsaved(isTouched, error);
  const form = useRef<HTMLFormElement>(null);
  useInvalidFocus(form, error);
  const run = async (work: () => Promise<void>, after?: () => void) => {
    setRunning(true);
    setError(undefined);
    try {
      await work();
      if (after) {
        release();
        after();
      }
    } catch (failure) {
      setError(failure);
    } finally {
      setRunning(false);
    }
  };
  const isDisabled = isRunning || !isReady;
  return (
    <Dialog title={title} isWide={isWide} onClose={() => leave(onClose)}>
      <form
        ref={form}
        className="stack"
        onInput={() => setTouched(true)}
        onSubmit={(event) => {
          event.preventDefault();
          if (isDisabled) return;
          release();
          void run(onSubmit, onClose);
        }}
      >
        {children(error)}
        <ErrorMessage error={error} hasFields />
        <DialogActions>
          <Button onClick={() => leave(onClose)}>{strings.actions.cancel}</Button>
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
