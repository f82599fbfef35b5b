import { messageOf } from '../api.ts';

/** Announces why an action failed; nothing without a failure. */
export const ErrorMessage = ({ error }: { readonly error: unknown }) =>
  error === undefined ? null : (
    <p className="message bad" role="alert">
      {messageOf(error)}
    </p>
  );
