import { MessageRejected, SESClient, SendRawEmailCommand } from '@aws-sdk/client-ses';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, expect, it, vi } from 'vitest';
import { sendMail } from '#platform/ses.ts';

const ses = mockClient(SESClient);
afterAll(() => ses.restore());

it('rejects with the name of the SES error and without the address', async () => {
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('MAIL_FROM', 'directory@example.com');
  // The message of SES.
  const message = 'Email address is not verified. The following identities failed the check: ada@private.example';
  ses.on(SendRawEmailCommand).rejects(new MessageRejected({ message, $metadata: {} }));
  const mail = { to: 'ada@private.example', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' };
  const error = await sendMail(mail).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'MailRejected', message: 'MessageRejected' });
  expect((error as Error).cause).toBeUndefined();
});
