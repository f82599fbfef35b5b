import { replaceSecrets } from '#data/webhooks.ts';
import { type SealedSecret, secretsAt, type WebhookRecord, type WebhookSecret } from '#model/webhook.ts';
import { openSecret, sealSecret } from '#platform/key-service.ts';
import { log } from '#platform/log.ts';

/** Webhook secrets are stored encrypted. Records from before that hold plain ones, which are encrypted at the next use. */

const sealed = async (id: string, stored: WebhookSecret): Promise<SealedSecret> =>
  'sealed' in stored ? stored : { sealed: await sealSecret(id, stored.secret), expires_at: stored.expires_at };

/** The secrets of a webhook, plain ones encrypted. */
export const sealedSecrets = ({ id, secrets }: Pick<WebhookRecord, 'id' | 'secrets'>): Promise<SealedSecret[]> =>
  Promise.all(secrets.map((stored) => sealed(id, stored)));

/** The secrets that sign a message at a time, in plain text, the current one first; without those of a lost key. */
export const signingSecrets = async (webhook: WebhookRecord, at: string): Promise<string[]> => {
  const opened = secretsAt(webhook, at).map(async (stored) =>
    'sealed' in stored ? await openSecret(webhook.id, stored.sealed) : stored.secret,
  );
  return (await Promise.all(opened)).filter((secret) => secret !== undefined);
};

/**
 * Encrypts the secrets that a stored record still holds as plain text. A failure is logged, and the next use tries
 * again.
 */
export const encryptStoredSecrets = async (webhook: WebhookRecord): Promise<void> => {
  if (webhook.secrets.every((stored) => 'sealed' in stored)) return;
  try {
    await replaceSecrets(webhook, await sealedSecrets(webhook));
  } catch (error) {
    log.warn('the secrets of a webhook could not be encrypted', { error: error as Error });
  }
};
