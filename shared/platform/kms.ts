import {
  DecryptCommand,
  EncryptCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  KMSClient,
} from '@aws-sdk/client-kms';
import { LRUCache } from 'lru-cache';
import { clientSettings, lazily } from './aws.ts';
import { environment, InvalidEnvironment } from './environment.ts';

/** Encryption of secrets that the service has to read again, with a key that never leaves the key service (KMS). */

const TIMEOUT_MS = 2000;

const ATTEMPTS_MAX = 2;

const client = lazily(() => new KMSClient(clientSettings(TIMEOUT_MS, ATTEMPTS_MAX)));

const keyId = (): string => {
  const { webhookKey } = environment();
  if (webhookKey === undefined) throw new InvalidEnvironment(['WEBHOOK_KEY_ID must be set to encrypt secrets']);
  return webhookKey;
};

/**
 * The encryption context is additional authenticated data (AES-256-GCM): the ciphertext of one webhook is invalid in the
 * record of another. The key's policy statements name it too.
 */
const contextOf = (webhookId: string) => ({ webhook: webhookId });

/** Decrypted secrets by webhook and ciphertext, so that a process asks the key service once per secret. */
const opened = new LRUCache<string, string>({ max: 500 });

/** Encrypts a secret of a webhook. @returns the ciphertext in base64. */
export const sealSecret = async (webhookId: string, secret: string): Promise<string> => {
  const { CiphertextBlob = new Uint8Array() } = await client().send(
    new EncryptCommand({
      KeyId: keyId(),
      Plaintext: Buffer.from(secret),
      EncryptionContext: contextOf(webhookId),
    }),
  );
  return Buffer.from(CiphertextBlob).toString('base64');
};

/**
 * Decrypts a secret of a webhook.
 * @returns undefined when it was encrypted for another webhook or with another key.
 * @throws the error of the key service when it does not respond or refuses.
 */
export const openSecret = async (webhookId: string, sealed: string): Promise<string | undefined> => {
  const name = `${webhookId} ${sealed}`;
  const known = opened.get(name);
  if (known !== undefined) return known;
  try {
    const { Plaintext = new Uint8Array() } = await client().send(
      new DecryptCommand({
        KeyId: keyId(),
        CiphertextBlob: Buffer.from(sealed, 'base64'),
        EncryptionContext: contextOf(webhookId),
      }),
    );
    const secret = Buffer.from(Plaintext).toString();
    opened.set(name, secret);
    return secret;
  } catch (error) {
    if (error instanceof InvalidCiphertextException || error instanceof IncorrectKeyException) return undefined;
    throw error;
  }
};
