import { apiUrl, consolePath } from '../app/location.ts';
import { type Session, session, signOut } from '../app/session.ts';
import { SignInButtons } from '../app/sign-in.tsx';
import { useStore } from '../app/store.ts';
import { Button } from '../components/button.tsx';
import * as strings from '../strings.ts';
import { text } from './strings.ts';

const SessionState = ({ current }: { readonly current: Session }) => {
  if (current.state === 'starting') return null;
  if (current.state === 'signed-out') return <SignInButtons key={current.message} message={current.message} />;
  return (
    <>
      <p role="status">
        {strings.signIn.signedInAs} <strong>{current.user.name}</strong>
      </p>
      <Button onClick={() => void signOut()}>{strings.actions.signOut}</Button>
    </>
  );
};

/** Above the reference: its requests carry the token of this session. */
export const Header = () => (
  <header className="reference-header">
    <h1>{text.heading}</h1>
    <nav className="row" aria-label={strings.shell.navigation}>
      <a href={consolePath}>{text.console}</a>
      <a href={`${apiUrl}/api/openapi.json`}>{text.document}</a>
    </nav>
    <div className="row push">
      <SessionState current={useStore(session)} />
    </div>
  </header>
);
