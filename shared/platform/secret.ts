import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { elapsed, type Moment, moment } from './clock.ts';

/**
 * Secrets of this environment. On one machine a secret is a variable. Deployed, the variable with `_PARAMETER` behind its
 * name names an encrypted parameter in SSM: the secret stands in no template, and only functions that may read it have it.
 */

/** How long a secret is used before it is read again, in milliseconds: so long a rotation takes. */
const FRESH_MS = 5 * 60_000;
const TIMEOUT_MS = 2000;

let client: SSMClient | undefined;

const known = new Map<string, { readonly value: string | undefined; readonly readAt: Moment }>();

const readParameter = async (name: string): Promise<string | undefined> => {
  client ??= new SSMClient({ requestHandler: { requestTimeout: TIMEOUT_MS, throwOnRequestTimeout: true } });
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    return Parameter?.Value;
  } catch (error) {
    // Bundles have not the classes of errors, only their names.
    if (error instanceof Error && error.name === 'ParameterNotFound') return undefined;
    throw error;
  }
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
  if (found && elapsed(found.readAt, moment()) < FRESH_MS) return found.value;
  const value = await readParameter(parameter);
  known.set(parameter, { value, readAt: moment() });
  return value;
};
