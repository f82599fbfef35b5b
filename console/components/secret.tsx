import { useState } from 'react';
import * as strings from '../strings.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';

/** A secret that the service shows once. */
export const SecretDialog = ({
  title,
  secret,
  onClose,
}: {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
}) => {
  const [isCopied, setCopied] = useState(false);
  return (
    <Dialog title={title} onClose={undefined}>
      <p>{strings.secret.once}</p>
      <pre className="message">{secret}</pre>
      <DialogActions>
        <Button
          onClick={() => {
            void navigator.clipboard.writeText(secret).then(() => setCopied(true));
          }}
        >
          {isCopied ? strings.secret.copied : strings.secret.copy}
        </Button>
        <Button kind="primary" onClick={onClose}>
          {strings.secret.stored}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
