import { createCipheriv, createDecipheriv, hkdf, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

/** Compression and encryption of texts under a secret of the caller that the service does not keep. */

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const derived = promisify(hkdf);
const compressed = promisify(gzip);
const expanded = promisify(gunzip);

interface Seal {
  /** Of any length. As strong as it is hard to guess. */
  readonly secret: string;
  /** Names what is sealed: a text sealed for one purpose does not open for another one. */
  readonly purpose: string;
}

const keyOf = async ({ secret, purpose }: Seal): Promise<Uint8Array> =>
  new Uint8Array(await derived('sha256', secret, '', purpose, KEY_BYTES));

/** @returns nonce, authentication tag and ciphertext. */
export const sealText = async (text: string, seal: Seal): Promise<Buffer> => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, await keyOf(seal), nonce);
  const content = [cipher.update(await compressed(text)), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...content]);
};

/** @throws Error when the text was sealed otherwise or is damaged. */
export const openText = async (sealed: Uint8Array, seal: Seal): Promise<string> => {
  const bytes = Buffer.from(sealed);
  const content = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, await keyOf(seal), bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, content));
  const packed = Buffer.concat([decipher.update(bytes.subarray(content)), decipher.final()]);
  return (await expanded(packed)).toString();
};
