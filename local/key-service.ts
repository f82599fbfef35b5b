import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { AwsError } from './aws-error.ts';
import { openSecretFile } from './secret-file.ts';

/** The operations of KMS that the service uses, with a key in the data folder. */
export interface KeyService {
  encrypt(request: unknown): unknown;
  decrypt(request: unknown): unknown;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

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
  const key = openSecretFile(file, 'webhooks need new secrets (rotate them)');
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
