import PostalMime from 'postal-mime';
import { expect, it } from 'vitest';
import { mimeMessage } from '#platform/mime.ts';

const mail = {
  from: 'Directory <directory@example.com>',
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'First line\nSecond line',
  html: '<p>Hello</p>',
};

it.each(['Hello', 'Grüße aus Zürich', `${'東京タワー'.repeat(30)} 😀`, `${'a'.repeat(190)}é`])(
  'a message keeps the subject %s',
  async (subject) => {
    const message = mimeMessage({ ...mail, subject });
    for (const line of message.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThan(200);
    expect(await PostalMime.parse(message)).toMatchObject({ subject });
  },
);

it('a message keeps both parts, the addresses and further headers', async () => {
  const headers = { 'List-Unsubscribe': '<https://example.com/u>' };
  const parsed = await PostalMime.parse(mimeMessage({ ...mail, from: 'Täglich <a@example.com>', headers }));
  expect(parsed).toMatchObject({
    from: { name: 'Täglich', address: 'a@example.com' },
    to: [{ address: 'ada@example.com' }],
    html: expect.stringContaining('<p>Hello</p>'),
  });
  expect(parsed.text?.trim().replaceAll('\r\n', '\n')).toBe(mail.text);
  expect(parsed.headers).toContainEqual({
    key: 'list-unsubscribe',
    value: '<https://example.com/u>',
    originalKey: expect.anything(),
  });
});

it('a header with a line break is rejected', () => {
  expect(() => mimeMessage({ ...mail, to: 'ada@example.com\r\nBcc: eve@example.com' })).toThrow('line break');
});
