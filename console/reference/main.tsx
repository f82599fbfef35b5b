import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import SwaggerUIBundle, { type SwaggerUI } from 'swagger-ui-dist/swagger-ui-bundle.js';
import { apiUrl } from '../app/location.ts';
import { accessToken, session, startSession } from '../app/session.ts';
import { Failure } from '../components/states.tsx';
import { Header } from './header.tsx';
import { text } from './strings.ts';

/** The security scheme of user tokens in the document. */
const SCHEME = 'bearer';

const element = document.querySelector('#root');
if (!element) throw new Error('The page has no element for its header.');
const root = createRoot(element);

const readDocument = async (): Promise<object> => {
  const response = await fetch(`${apiUrl}/api/openapi.json`);
  if (!response.ok) throw new Error(text.unread(response.status));
  // The document is the same in every stage; requests go to the one that served this page.
  return { ...((await response.json()) as object), servers: [{ url: apiUrl }] };
};

/** Requests carry the token of the session, as if it were entered into the form for it. */
const followSession = (reference: SwaggerUI): void => {
  let isAuthorized = false;
  const apply = () => {
    const token = session.value.state === 'signed-in' ? accessToken() : undefined;
    if (token !== undefined) reference.preauthorizeApiKey(SCHEME, token);
    // The viewer fails to forget what it never had.
    else if (isAuthorized) reference.authActions.logout([SCHEME]);
    isAuthorized = token !== undefined;
  };
  session.subscribe(apply);
  apply();
};

// The style sheet of the viewer has a class for dark pages.
const dark = matchMedia('(prefers-color-scheme: dark)');
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyScheme);
applyScheme();

const start = async (): Promise<void> => {
  try {
    const [spec] = await Promise.all([readDocument(), startSession()]);
    root.render(
      <StrictMode>
        <Header />
      </StrictMode>,
    );
    const reference = SwaggerUIBundle({
      spec,
      dom_id: '#reference',
      deepLinking: true,
      docExpansion: 'none',
      tryItOutEnabled: true,
      validatorUrl: null,
      syntaxHighlight: { theme: 'obsidian' },
      onComplete: () => followSession(reference),
    });
  } catch (error) {
    root.render(<Failure error={error} onRetry={() => void start()} />);
  }
};

await start();
