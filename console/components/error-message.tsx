import { messageOf } from '../api.ts';

/** Announces why an action failed; nothing without a failure. @param hasFields see `messageOf`. */
export const ErrorMessage = ({
  error,
  hasFields = false,
}: {
  readonly error: unknown;
  readonly hasFields?: boolean;
}) =>
  error === undefined ? null : (
    <p className="message bad" role="alert">
      {messageOf(error, { hasFields })}
    </p>
  );
