import { expect, it } from 'vitest';
import type { Delivery, Webhook } from '#contract/webhooks.ts';
import { type Directory, dataOf, person } from '#test/support/fixtures.ts';
import { respond, startReceiver } from '#test/support/receiver.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

const RETRY_AFTER_MS = 5000;

let server: TestServer;
let directory: Directory;

withOwnServer(
  (opened) => {
    ({ server, directory } = opened);
  },
  { env: { WEBHOOK_ALLOW_PRIVATE: 'on' } },
);

it('a failed delivery is retried after five seconds without a run of the retry job', async () => {
  const receiver = await startReceiver();
  receiver.respondNext(respond(500));
  const { id } = dataOf<Webhook>(
    await directory.as(directory.admin, 'POST', '/api/admin/webhooks', {
      url: receiver.url,
      kinds: ['projectSubmitted'],
    }),
  );
  await directory.submit(await person(server));
  const delivery = async () =>
    dataOf<Delivery[]>(await directory.get(`/api/admin/webhooks/${id}/deliveries`, directory.admin))[0];
  await server.until(async () => (await delivery())?.state === 'delivered');
  const [first = 0, second = 0] = ((await delivery())?.attempts ?? []).map(({ at }) => Date.parse(at));
  expect(second - first).toBeGreaterThanOrEqual(RETRY_AFTER_MS);
  await receiver.stop();
});
