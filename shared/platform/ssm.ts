import { createHash, timingSafeEqual } from 'node:crypto';
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import { clientSettings, lazily } from './aws.ts';
import { elapsed, type Moment, moment } from './clock.ts';

/** How long a secret is cached, in milliseconds; a rotation takes effect after that. */
const FRESH_MS = 5 * 60_000;
const TIMEOUT_MS = 2000;

const client = lazily(() => new SSMClient(clientSettings(TIMEOUT_MS)));

const cached = new Map<string, { readonly value: string | undefined; readonly readAt: Moment }>();

const readParameter = async (name: string): Promise<string | undefined> => {
  try {
    const { Parameter } = await client().send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    return Parameter?.Value;
  } catch (error) {
    if (error instanceof ParameterNotFound) return undefined;
    throw error;
  }
};

/**
 * A secret: the environment variable `name` or, where deployed, the encrypted SSM parameter that `${name}_PARAMETER`
 * names, so that no template contains it.
 * @returns undefined when neither is set or the parameter does not exist.
 * @throws the error of Systems Manager when the parameter cannot be read.
 */
export const secret = async (name: string): Promise<string | undefined> => {
  const direct = process.env[name];
  if (direct) return direct;
  const parameter = process.env[`${name}_PARAMETER`];
  if (!parameter) return undefined;
  const found = cached.get(parameter);
  if (found && elapsed(found.readAt, moment()) < FRESH_MS) return found.value;
  const value = await readParameter(parameter);
  cached.set(parameter, { value, readAt: moment() });
  return value;
};

/** The key that signs addresses to unsubscribe; undefined when none is configured. */
export const unsubscribeSecret = async (): Promise<string | undefined> =>
  (await secret('UNSUBSCRIBE_SECRET'))?.trim() || undefined;

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Whether the value is the job secret; false when none is configured. Compares digests in constant time, so that the
 * duration reveals neither length nor prefix of the secret.
 * @throws the error of Systems Manager when the secret cannot be read.
 */
export const isJobSecret = async (presented: string): Promise<boolean> => {
  const expected = (await secret('CRON_SECRET'))?.trim();
  if (!expected) return false;
  return timingSafeEqual(digestOf(presented), digestOf(expected));
};
