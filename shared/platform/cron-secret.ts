import { createHash, timingSafeEqual } from 'node:crypto';
import { secret } from './secret.ts';

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Whether somebody has presented the secret that jobs are called with. Digests are compared, in constant time: how long it
 * takes tells neither how long the secret is nor how much of it was right. Where none is configured nobody has it.
 * @throws when there is one and it cannot be read.
 */
export const isJobSecret = async (presented: string): Promise<boolean> => {
  const known = (await secret('CRON_SECRET'))?.trim();
  if (!known) return false;
  return timingSafeEqual(digestOf(presented), digestOf(known));
};
