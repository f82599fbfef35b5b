import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { log } from './log.ts';
import { secret } from './secret.ts';
import { Unavailable } from './unavailable.ts';

// A key is `dk_` and 40 characters: a part by which it is found, a secret part, and a checksum, by which scanners for
// leaked secrets and this service recognize a key without a look-up.

const MARK = 'dk_';
const PUBLIC_LENGTH = 12;
/** In base 62: 131 bits. */
const SECRET_LENGTH = 22;
const CHECKSUM_LENGTH = 6;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY = new RegExp(`^${MARK}[0-9A-Za-z]{${PUBLIC_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

const checksumOf = (text: string): string => {
  let [rest, digits] = [crc32(text), ''];
  for (let count = 0; count < CHECKSUM_LENGTH; count += 1) {
    digits = `${DIGITS[rest % DIGITS.length]}${digits}`;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
};

/** The beginning of the key with an id, by which it is found: the end of the ULID, which is random. */
export const prefixOfId = (id: string): string => `${MARK}${id.slice(-PUBLIC_LENGTH)}`;

/** A new key with an id. */
export const newApiKey = (id: string): string => {
  const characters = Array.from({ length: SECRET_LENGTH }, () => DIGITS[randomInt(DIGITS.length)]);
  const text = `${prefixOfId(id)}${characters.join('')}`;
  return `${text}${checksumOf(text)}`;
};

/** Whether a credential is meant as an API key. Tokens contain dots. */
export const looksLikeApiKey = (credential: string): boolean => credential.startsWith(MARK);

/** The beginning of a key; undefined for a malformed one. */
export const prefixOfKey = (key: string): string | undefined =>
  KEY.test(key) && checksumOf(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH)
    ? key.slice(0, MARK.length + PUBLIC_LENGTH)
    : undefined;

/** The pepper is not configured or cannot be read, so no key can be verified or created. */
export class PepperUnavailable extends Unavailable {
  override readonly name = 'PepperUnavailable';
}

const pepper = async (): Promise<string> => {
  let value: string | undefined;
  try {
    value = await secret('API_KEY_PEPPER');
  } catch (cause) {
    throw new PepperUnavailable('The pepper of API keys could not be read.', { cause });
  }
  if (value) return value;
  log.error('API_KEY_PEPPER is not configured: API keys can be neither created nor used');
  throw new PepperUnavailable('The pepper of API keys is not configured.');
};

/**
 * The digest under which a key is stored. The pepper is no part of the table, so that a copy of the table does not suffice
 * to find out whether a key is valid.
 * @throws {PepperUnavailable}
 */
export const apiKeyDigest = async (key: string): Promise<string> =>
  createHmac('sha256', await pepper())
    .update(key)
    .digest('base64url');

/** Compares digests of the same length in constant time. */
export const isSameDigest = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};
