import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { DescribeEventBusCommand, EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  CreateTemplateCommand,
  SESClient,
  SendEmailCommand,
  type SendEmailCommandInput,
  SendRawEmailCommand,
} from '@aws-sdk/client-ses';
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { serveAws } from '#local/aws-endpoint.ts';
import { type Bus, openBus } from '#local/bus.ts';
import { openJournal } from '#local/journal.ts';
import { openKeyService } from '#local/key-service.ts';
import type { MockEndpoint } from '#local/listening.ts';
import { type MailService, openMailService } from '#local/mail.ts';
import { watchStorage } from '#local/storage.ts';
import { sendableAddress } from '#model/mail-address.ts';

/** The bus and the inbox, through the AWS clients that the service uses. */

const folder = mkdtempSync(path.join(tmpdir(), 'aws-'));
let journal: DatabaseSync;
let bus: Bus;
let mail: MailService;
let endpoint: MockEndpoint;
let events: EventBridgeClient;
let ses: SESClient;

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'x');
});

beforeAll(async () => {
  journal = openJournal(path.join(folder, 'journal.sqlite'));
  const storage = watchStorage(journal, folder);
  bus = openBus({ journal, storage, subscriptions: [], importHandler: () => Promise.reject(new Error('no handlers')) });
  mail = openMailService(journal, storage);
  endpoint = await serveAws(bus, mail, openKeyService(path.join(folder, 'secrets-key.json')));
  const config = {
    endpoint: endpoint.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'x', secretAccessKey: 'y' },
    maxAttempts: 1,
  };
  events = new EventBridgeClient(config);
  ses = new SESClient(config);
});

afterAll(async () => {
  events.destroy();
  ses.destroy();
  await endpoint.stop();
  journal.close();
  rmSync(folder, { recursive: true, force: true });
});

const signedBy = (key: string): string =>
  `AWS4-HMAC-SHA256 Credential=${key}/20261124/us-east-1/ses/aws4_request, Signature=0`;

it('requests without the access key of the process are refused, such as those that any web page can send', async () => {
  const before = mail.inbox(99);
  const body = new URLSearchParams({ Action: 'SendEmail', Source: 'a@example.com' }).toString();
  const send = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(endpoint.url, { method: 'POST', body, headers: { 'content-type': 'text/plain', ...headers } })).status;
  expect(await send({})).toBe(403);
  expect(await send({ authorization: 'Bearer x' })).toBe(403);
  expect(await send({ authorization: signedBy('local') })).toBe(403);
  // The action itself is incomplete.
  expect(await send({ authorization: signedBy('x') })).toBe(400);
  expect(mail.inbox(99)).toEqual(before);
});

const simple = (more: Partial<SendEmailCommandInput> = {}): SendEmailCommand =>
  new SendEmailCommand({
    Source: 'Directory <directory@example.com>',
    Destination: { ToAddresses: ['ada@example.com'] },
    Message: {
      Subject: { Data: 'Grüße & <Küsse> 🍺', Charset: 'UTF-8' },
      Body: { Text: { Data: 'Hello,\nworld + 100%' }, Html: { Data: '<p>Hello &amp; welcome</p>' } },
    },
    ...more,
  });

it('PutEvents stores events and returns their ids', async () => {
  const response = await events.send(
    new PutEventsCommand({
      Entries: [
        {
          Source: 'directory',
          DetailType: 'projectApproved',
          Detail: '{"id":"evt_1"}',
          Time: new Date(1_700_000_000_000),
        },
        { Source: 'directory', DetailType: 'projectApproved', Detail: 'no' },
      ],
    }),
  );
  expect(response).toMatchObject({
    FailedEntryCount: 1,
    Entries: [{ EventId: expect.any(String) }, { ErrorCode: 'MalformedDetail' }],
  });
  expect(bus.events({ includeTasks: false, limit: 9 }).map(({ detail }) => detail)).toEqual([{ id: 'evt_1' }]);
});

it('DescribeEventBus describes the local bus', async () => {
  const response = await events.send(new DescribeEventBusCommand({ Name: 'directory' }));
  expect(response).toMatchObject({
    Name: 'directory',
    Arn: expect.stringMatching(/^arn:aws:events:.*\/directory$/) as unknown,
  });
  const nameless = events.send(new DescribeEventBusCommand({ Name: '' }));
  await expect(nameless).rejects.toMatchObject({ name: 'ValidationException' });
});

it('SendEmail preserves all characters of a mail', async () => {
  const { MessageId } = await ses.send(simple());
  expect(MessageId).toMatch(/^[\w-]{20,}$/);
  expect(mail.inbox(1)).toEqual([
    {
      id: MessageId,
      from: 'Directory <directory@example.com>',
      to: 'ada@example.com',
      subject: 'Grüße & <Küsse> 🍺',
      text: 'Hello,\nworld + 100%',
      html: '<p>Hello &amp; welcome</p>',
      headers: {},
      sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    },
  ]);
});

it('the inbox lists To and Cc recipients, and the newest mail first', async () => {
  await ses.send(simple());
  await ses.send(
    simple({ Destination: { ToAddresses: ['a@example.com', 'B <b@example.com>'], CcAddresses: ['c@example.com'] } }),
  );
  expect(mail.inbox(2).map(({ to }) => to)).toEqual([
    'a@example.com, B <b@example.com>, c@example.com',
    'ada@example.com',
  ]);
});

it.each<[string, Partial<SendEmailCommandInput>, string]>([
  ['no recipient', { Destination: {} }, 'InvalidParameterValue'],
  [
    'a recipient with a header injection',
    { Destination: { ToAddresses: ['a@example.com\r\nBcc: b@example.com'] } },
    'InvalidParameterValue',
  ],
  [
    'too many recipients',
    { Destination: { ToAddresses: Array.from({ length: 51 }, (_, n) => `u${n}@example.com`) } },
    'InvalidParameterValue',
  ],
  ['an invalid sender', { Source: 'invalid' }, 'InvalidParameterValue'],
  ['no sender', { Source: undefined }, 'ValidationError'],
  ['no subject', { Message: { Subject: { Data: undefined }, Body: { Text: { Data: 'x' } } } }, 'ValidationError'],
  [
    'a subject of two lines',
    { Message: { Subject: { Data: 'a\nb' }, Body: { Text: { Data: 'x' } } } },
    'InvalidParameterValue',
  ],
  ['no body', { Message: { Subject: { Data: 'x' }, Body: {} } }, 'InvalidParameterValue'],
])('rejects a mail with %s as SES does', async (_, more, name) => {
  const before = mail.inbox(99).length;
  await expect(ses.send(simple(more))).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 400 } });
  expect(mail.inbox(99)).toHaveLength(before);
});

it.each([
  ["Missing final '@domain'", 'ada'],
  ['Missing local address', '@example.com'],
  [
    'Local address contains control or whitespace',
    'ada lovelace@example.com',
    'jörg@example.org',
    'J <jörg@example.org>',
  ],
  ['Local address contains illegal character', 'a,b@example.com', 'github:ada@example.com', '"a"@example.com'],
  ['Local address starts with dot', '.ada@example.com'],
  ['Local address ends with dot', 'ada.@example.com'],
  ['Local address contains dot-dot', 'a..da@example.com'],
  ['Missing domain', 'ada@'],
  ['Domain contains control or whitespace', 'info@bücher.example', 'ada@example. com'],
  ['Domain contains illegal character', 'ada@my_shop.example', 'ada@[10.0.0.1]', 'ada@a.com,b.com'],
  ['Domain starts with dot', 'ada@.example.com'],
  ['Domain ends with dot', 'ada@example.com.'],
  ['Domain contains dot-dot', 'ada@a..example'],
])('rejects addresses as SES does: %s', async (message, ...addresses) => {
  const before = mail.inbox(99).length;
  for (const address of addresses) {
    const failure = { name: 'InvalidParameterValue', message };
    await expect(ses.send(simple({ Destination: { ToAddresses: [address] } }))).rejects.toMatchObject(failure);
  }
  expect(mail.inbox(99)).toHaveLength(before);
});

it('SES takes every address that the product sends to', async () => {
  const unit = fc.constantFrom('a', 'B', '1', 'ä', '東', '.', '-', '_', '+', ' ', ',', '"', '<', '@', '\u200b', '。');
  const local = fc.string({ unit, minLength: 1, maxLength: 3 });
  const domain = fc.string({ unit: fc.constantFrom('a', '1', 'ä', '東', '.', '-', '_'), minLength: 1, maxLength: 4 });
  const whole = fc.tuple(local, domain).map((parts) => `${parts.join('@')}.example`);
  const sendable = fc.sample(whole, { numRuns: 1000, seed: 1 }).flatMap((address) => sendableAddress(address) ?? []);
  expect(sendable.length).toBeGreaterThan(20);
  for (const address of sendable.slice(0, 50)) {
    await ses.send(simple({ Destination: { ToAddresses: [address] } }));
    expect(mail.inbox(1)[0]?.to).toBe(address);
  }
});

it('unsupported operations of AWS services are rejected', async () => {
  const command = new CreateTemplateCommand({ Template: { TemplateName: 'x', SubjectPart: 'y' } });
  await expect(ses.send(command)).rejects.toMatchObject({ name: 'InvalidAction' });
});

const raw = (...lines: readonly string[]): SendRawEmailCommand =>
  new SendRawEmailCommand({ RawMessage: { Data: Buffer.from(lines.join('\r\n')) } });

it('SendRawEmail puts a raw mail into the inbox', async () => {
  await ses.send(
    raw(
      'From: =?utf-8?Q?Directory_=E2=82=AC?= <directory@example.com>',
      'To: "Lovelace, Ada" <ada@example.com>,',
      ' bo@example.com',
      'Subject: =?UTF-8?B?R3LDvMOfZQ==?= =?utf-8?q?_an_alle?=',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="outer"',
      '',
      '--outer',
      'Content-Type: multipart/alternative; boundary=inner',
      '',
      '--inner',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Gr=C3=BC=C3=9Fe, =',
      'in one line',
      '--inner',
      'Content-Type: text/html; charset="utf-8"',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('<p>Grüße</p>').toString('base64'),
      '--inner--',
      '--outer',
      'Content-Type: text/plain',
      'Content-Disposition: attachment; filename=x.txt',
      '',
      'not this',
      '--outer--',
    ),
  );
  expect(mail.inbox(1)[0]).toMatchObject({
    from: 'Directory € <directory@example.com>',
    to: '"Lovelace, Ada" <ada@example.com>, bo@example.com',
    subject: 'Grüße an alle',
    text: 'Grüße, in one line',
    html: '<p>Grüße</p>',
  });
});

it('SendRawEmail accepts a minimal mail, and rejects one without sender or recipient', async () => {
  await ses.send(raw('From: a@example.com', 'To: b@example.com', 'Subject: Plain', '', 'Just text.'));
  expect(mail.inbox(1)[0]).toMatchObject({ subject: 'Plain', text: 'Just text.', html: '' });
  await expect(ses.send(raw('To: b@example.com', '', 'x'))).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  await expect(ses.send(raw('From: b@example.com', '', 'x'))).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  await expect(ses.send(raw(''))).rejects.toMatchObject({ name: 'InvalidParameterValue' });
});

it('the AWS endpoint returns 400 for unknown protocols and malformed requests', async () => {
  const target = await fetch(endpoint.url, {
    method: 'POST',
    headers: { authorization: signedBy('x'), 'x-amz-target': 'AWSEvents.DeleteRule' },
    body: '{}',
  });
  expect([target.status, await target.json()]).toMatchObject([400, { __type: 'UnknownOperationException' }]);
  const broken = await fetch(endpoint.url, {
    method: 'POST',
    headers: { authorization: signedBy('x'), 'x-amz-target': 'AWSEvents.PutEvents' },
    body: '{',
  });
  expect([broken.status, await broken.json()]).toMatchObject([400, { __type: 'SerializationException' }]);
  const none = await fetch(endpoint.url, { headers: { authorization: signedBy('x') } });
  expect([none.status, await none.text()]).toMatchObject([400, expect.stringContaining('<Code>InvalidAction</Code>')]);
});
