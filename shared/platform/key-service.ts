import { AwsError, jsonClient } from './aws-json.ts';
import { InvalidEnvironment, settings } from './settings.ts';

/** Encryption of secrets that the service has to read again, with a key that never leaves the key service (KMS). */

const TIMEOUT_MS = 2000;

const MAX_ATTEMPTS = 2;

const client = jsonClient(
  {
    name: 'kms',
    target: 'TrentService',
    contentType: 'application/x-amz-json-1.1',
    endpointVariable: 'AWS_ENDPOINT_URL_KMS',
    timeoutMs: TIMEOUT_MS,
  },
  MAX_ATTEMPTS,
);

const keyId = (): string => {
  const { webhookKey } = settings();
  if (webhookKey === undefined) throw new InvalidEnvironment(['WEBHOOK_KEY_ID must be set to encrypt secrets']);
  return webhookKey;
};

/**
 * The encryption context is additional authenticated data (AES-256-GCM): the ciphertext of one webhook is invalid in the
 * record of another. The key's policy statements name it too.
 */
const contextOf = (webhookId: string) => ({ webhook: webhookId });

/** Decrypted secrets by webhook and ciphertext, so that a process asks the key service once per secret. */
const opened = new Map<string, string>();
const OPENED_MAX = 500;

const remember = (name: string, secret: string): void => {
  if (opened.size >= OPENED_MAX) opened.clear();
  opened.set(name, secret);
};

/** Encrypts a secret of a webhook. @returns the ciphertext in base64. */
export const sealSecret = async (webhookId: string, secret: string): Promise<string> => {
  const { CiphertextBlob } = await client().call<{ CiphertextBlob: string }>('Encrypt', {
    KeyId: keyId(),
    Plaintext: Buffer.from(secret).toString('base64'),
    EncryptionContext: contextOf(webhookId),
  });
  return CiphertextBlob;
};

const UNREADABLE: ReadonlySet<unknown> = new Set(['InvalidCiphertextException', 'IncorrectKeyException']);

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
    const { Plaintext } = await client().call<{ Plaintext: string }>('Decrypt', {
      KeyId: keyId(),
      CiphertextBlob: sealed,
      EncryptionContext: contextOf(webhookId),
    });
    const secret = Buffer.from(Plaintext, 'base64').toString();
    remember(name, secret);
    return secret;
  } catch (error) {
    if (error instanceof AwsError && UNREADABLE.has(error.name)) return undefined;
    throw error;
  }
};
