import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { AwsError } from './aws-error.ts';
import { StartupError } from './startup-error.ts';

/** The operations of KMS that the service uses, with a key in the data folder. */
export interface KeyService {
  encrypt(request: unknown): unknown;
  decrypt(request: unknown): unknown;
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const loadKey = (file: string): Buffer => {
  if (!existsSync(file)) {
    // Written under another name first, so that a crash leaves no partial key.
    const content = JSON.stringify({ key: randomBytes(KEY_BYTES).toString('base64') });
    writeFileSync(`${file}.new`, content, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  try {
    const { key } = JSON.parse(readFileSync(file, 'utf8')) as { key?: unknown };
    const bytes = Buffer.from(typeof key === 'string' ? key : '', 'base64');
    if (bytes.length !== KEY_BYTES) throw new Error('it holds no key of 32 bytes');
    return bytes;
  } catch (cause) {
    throw new StartupError(
      `The file ${file} is damaged: ${(cause as Error).message}. Restore it from a backup, or delete it and start again: the ` +
        'next start creates a new key, and webhooks need new secrets (rotate them).',
      { cause },
    );
  }
};

const blob = z.base64().transform((text) => Buffer.from(text, 'base64'));
const EncryptionContext = z.record(z.string(), z.string()).default({});
const Encrypt = z.object({ KeyId: z.string().min(1), Plaintext: blob, EncryptionContext });
const Decrypt = z.object({ KeyId: z.string().min(1).optional(), CiphertextBlob: blob, EncryptionContext });

const parse = <T>(schema: z.ZodType<T>, request: unknown): T => {
  const parsed = schema.safeParse(request);
  if (!parsed.success) throw new AwsError('ValidationException', z.prettifyError(parsed.error));
  return parsed.data;
};

const authenticatedData = (context: Readonly<Record<string, string>>): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))));

/**
 * Opens the key file, and creates it at the first start.
 * @throws {StartupError} when the file is damaged.
 */
export const openKeyService = (file: string): KeyService => {
  const key = loadKey(file);
  return {
    encrypt: (request) => {
      const { KeyId, Plaintext, EncryptionContext: context } = parse(Encrypt, request);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(
        authenticatedData(context),
      );
      const content = Buffer.concat([cipher.update(Plaintext), cipher.final()]);
      return {
        KeyId,
        CiphertextBlob: Buffer.concat([nonce, cipher.getAuthTag(), content]).toString('base64'),
        EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
      };
    },
    decrypt: (request) => {
      const { KeyId, CiphertextBlob, EncryptionContext: context } = parse(Decrypt, request);
      try {
        const nonce = CiphertextBlob.subarray(0, NONCE_BYTES);
        const tag = CiphertextBlob.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
        const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(authenticatedData(context)).setAuthTag(tag);
        const content = decipher.update(CiphertextBlob.subarray(NONCE_BYTES + TAG_BYTES));
        return {
          KeyId,
          Plaintext: Buffer.concat([content, decipher.final()]).toString('base64'),
          EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
        };
      } catch {
        throw new AwsError('InvalidCiphertextException', 'The ciphertext belongs to another key or context.');
      }
    },
  };
};
