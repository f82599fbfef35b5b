import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

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

/** The SHA-256 digest under which a key is stored. Keys are random, so that no digest reveals its key. */
export const apiKeyDigest = (key: string): string => createHash('sha256').update(key).digest('base64url');

/** Compares digests of the same length in constant time. */
export const isSameDigest = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};
