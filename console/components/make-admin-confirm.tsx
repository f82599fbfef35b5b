import * as strings from '../strings.ts';
import { Confirm } from './confirm.tsx';

/** Asks before a user gets every right. */
export const MakeAdminConfirm = ({
  name,
  onConfirm,
  onClose,
}: {
  readonly name: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}) => (
  <Confirm
    title={strings.user.makeAdminTitle(name)}
    action={strings.user.makeAdmin}
    onConfirm={onConfirm}
    onClose={onClose}
  >
    <p>{strings.user.makeAdminText}</p>
  </Confirm>
);
