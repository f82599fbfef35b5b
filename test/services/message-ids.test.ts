import { expect, it } from 'vitest';
import { newMessage } from '#events/catalogue.ts';
import { timeOfId } from '#platform/ids.ts';

/** Long enough for the clock to change at every point of a call. */
const MILLISECONDS = 100;

it('no message has an id older than its time, so that a search from that time on includes it', () => {
  const until = Date.now() + MILLISECONDS;
  const older: unknown[] = [];
  while (Date.now() < until) {
    const message = newMessage('webhookReplayDue', null, { webhook_id: 'whk_1', since: '2026-01-01T00:00:00.000Z' });
    if (timeOfId(message.id) < Date.parse(message.occurred_at)) older.push(message);
  }
  expect(older).toEqual([]);
});
