import { useState } from 'preact/hooks';
import { RequestError } from './api.ts';
import { problemText } from './messages.ts';
import { markSession } from './session.ts';

/** An action with its state: whether it runs, and why it failed. */
export const useAction = () => {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const run = async (action: () => Promise<void>): Promise<void> => {
    if (isRunning) return;
    setRunning(true);
    setProblem(undefined);
    try {
      await action();
    } catch (error) {
      if (error instanceof RequestError && error.status === 401) markSession(false);
      setProblem(error);
    } finally {
      setRunning(false);
    }
  };
  return { isRunning, problem, run };
};

export const Problem = ({ error }: { readonly error: unknown }) =>
  error === undefined ? null : (
    <p class="problem" role="alert">
      {problemText(error)}
    </p>
  );
