import * as z from 'zod';

/**
 * Secrets of this environment. On one machine a secret is a variable. Deployed, the variable with `_PARAMETER` behind its
 * name names a parameter in SSM, which the extension beside the function reads and decrypts: the secret stands in no
 * template, and no function that is not allowed to read it has it.
 */

/** How long a secret that was read is used before it is read again, in milliseconds: so long a rotation takes. */
const FRESH_MS = 5 * 60_000;
const TIMEOUT_MS = 3000;
const PORT = 2773;

const Answer = z.object({ Parameter: z.object({ Value: z.string().min(1) }) });

const known = new Map<string, { readonly value: string | undefined; readonly readAt: number }>();

const readParameter = async (parameter: string): Promise<string | undefined> => {
  const port = process.env.PARAMETERS_SECRETS_EXTENSION_HTTP_PORT ?? PORT;
  const query = new URLSearchParams({ name: parameter, withDecryption: 'true' });
  const answer = await fetch(`http://localhost:${port}/systemsmanager/parameters/get?${query}`, {
    headers: { 'x-aws-parameters-secrets-token': process.env.AWS_SESSION_TOKEN ?? '' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (answer.ok) return Answer.parse(await answer.json()).Parameter.Value;
  const words = await answer.text();
  if (words.includes('ParameterNotFound')) return undefined;
  throw new Error(`The parameter ${parameter} could not be read: ${answer.status}.`);
};

/**
 * A secret by the name of its variable; undefined where none is configured.
 * @throws when there is one and it cannot be read.
 */
export const secret = async (name: string): Promise<string | undefined> => {
  const direct = process.env[name];
  if (direct) return direct;
  const parameter = process.env[`${name}_PARAMETER`];
  if (!parameter) return undefined;
  const found = known.get(parameter);
  if (found && performance.now() - found.readAt < FRESH_MS) return found.value;
  const value = await readParameter(parameter);
  known.set(parameter, { value, readAt: performance.now() });
  return value;
};
