import { Rows3 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { ErrorMessage } from '../components/error-message.tsx';
import { hostOf } from '../format.ts';
import * as strings from '../strings.ts';
import { isLocal, isOn, type LocalRole, localRoles, signIn, signInLocally, signOut, siteSettings } from './session.ts';

/** The ways to sign in: buttons of the local issuer, or the way to the issuer's page. */
export const SignInButtons = ({ message }: { readonly message?: string | undefined }) => {
  const [error, setError] = useState<unknown>(message === undefined ? undefined : new Error(message));
  const run = (action: () => Promise<void>) => {
    setError(undefined);
    action().catch(setError);
  };
  const local = (role: LocalRole) => (
    <Button
      key={role}
      kind={role === 'administrator' ? 'primary' : 'normal'}
      onClick={() => run(() => signInLocally(role))}
    >
      {strings.signIn.as(role)}
    </Button>
  );
  return (
    <div className="stack tight">
      <ErrorMessage error={error} />
      {isLocal() ? (
        <>
          {localRoles.map(local)}
          <p className="soft small">{strings.signIn.local}</p>
        </>
      ) : (
        <>
          <Button kind="primary" onClick={() => run(signIn)}>
            {strings.signIn.atIssuer}
          </Button>
          <p className="soft small">{strings.signIn.at(hostOf(siteSettings().sign_in.issuer))}</p>
        </>
      )}
    </div>
  );
};

/** The page of a signed-out visitor. */
export const SignInPage = ({ message }: { readonly message: string | undefined }) => (
  <main className="gate">
    <div className="card stack">
      <span className="brand">
        <Rows3 size={18} aria-hidden />
        {strings.product}
      </span>
      <h1>{strings.signIn.heading}</h1>
      <p className="soft">{strings.signIn.what}</p>
      <SignInButtons message={message} />
    </div>
  </main>
);

/** Over the page whose session has ended; the requests that were refused continue afterwards. */
export const SignInDialog = () => (
  <Dialog title={strings.signIn.expired} onClose={undefined}>
    <p>{strings.signIn.expiredText}</p>
    <SignInButtons />
  </Dialog>
);

/** For an account without a role in the console. */
export const NoRolePage = ({ name }: { readonly name: string }) => (
  <main className="gate">
    <div className="card stack">
      <h1>{strings.signIn.noRole}</h1>
      <p>
        {strings.signIn.signedInAs} <strong>{name}</strong>.
      </p>
      <p className="soft">{isOn('moderators') ? strings.signIn.noRoleText : strings.signIn.adminsOnlyText}</p>
      <Button onClick={() => void signOut()}>{strings.actions.signOut}</Button>
    </div>
  </main>
);
