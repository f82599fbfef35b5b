import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, preloadPage } from './app/app.tsx';
import { keepFocus } from './app/focus.ts';
import { startSession } from './app/session.ts';
import { Failure } from './components/states.tsx';

const element = document.querySelector('#root');
if (!element) throw new Error('The page has no element for the console.');
const root = createRoot(element);

const start = async (): Promise<void> => {
  try {
    await startSession();
    root.render(
      <StrictMode>
        <App />
      </StrictMode>,
    );
  } catch (error) {
    root.render(<Failure error={error} onRetry={() => void start()} />);
  }
};

preloadPage();
keepFocus();
if (DEVELOPMENT) void import('./app/reload.ts');
await start();
