import { parseArgs } from 'node:util';
import { SESClient, SendRawEmailCommand } from '@aws-sdk/client-ses';
import { mockClient } from 'aws-sdk-client-mock';
import { filtersOf } from '#contract/follows.ts';
import { followKeyOf } from '#data/follows.ts';
import { followerKey, inFollowers } from '#data/keys.ts';
import { userItem } from '#data/users.ts';
import { putItems } from '#data/write.ts';
import { canonical } from '#model/follow.ts';
import { newUser } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { mailFollowDigests } from '#services/follows/digest.ts';
import { startBareTable } from '#test/support/bare-table.ts';
import { itemsOfCategory, itemsOfListing, listingsOf } from './catalog/directory-items.ts';
import { Directory } from './catalog/listings.ts';

const HELP = `Measures the digest of follows in a large directory.

  node bench/follow-digest.ts [--listings 50000] [--users 10000] [--new 100]

  --listings  listings of the directory (default 50000)
  --users     users, each with a category, a search by words and a place that they follow (default 10000)
  --new       listings that were published since the follows were made (default 100)

Prints the seconds, the CPU time of this process and the peak memory of the first run, which mails, and of a second one on the same day. No mail leaves the process.
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean' },
    listings: { type: 'string', default: '50000' },
    users: { type: 'string', default: '10000' },
    new: { type: 'string', default: '100' },
  },
});

const FOURTEEN_MINUTES = 14 * 60_000;
const BATCH = 500;

const queriesOf = (n: number, categories: readonly string[]): Readonly<Record<string, string>>[] => [
  { category: String(categories[n % categories.length]) },
  { q: ['tool', 'open', 'data', 'map', 'editor'][n % 5] as string, match: 'words' },
  { near: `${40 + (n % 20)},${n % 30}`, radius_km: '100' },
];

const itemsOfUser = (n: number, categories: readonly string[], since: string) => {
  const id = `10000000-follower-${String(n).padStart(8, '0')}`;
  const user = newUser(
    { sub: id, email: `follower${n}@example.com`, emailVerified: true, name: null, issuedAt: null },
    [],
    since,
  );
  const queries = queriesOf(n, categories);
  return [
    userItem(user, since),
    { ...followerKey(id), ...inFollowers(id), type: 'follower', user_id: id, follows: queries.length, digests: 0 },
    ...queries.map((query) => {
      const result = filtersOf(query);
      if (result.issues) throw new Error('The query is invalid.');
      const record = { id: newId('fol'), user_id: id, query, name: null, frequency: 'daily', created_at: since };
      return { ...followKeyOf(id, canonical(result.filters)), type: 'follow', ...record };
    }),
  ];
};

const fill = async (listings: number, users: number, news: number): Promise<void> => {
  const directory = new Directory(1);
  const categories = directory.categories();
  let items: Parameters<typeof putItems>[0][number][] = [];
  const put = async (more: readonly object[], isLast = false): Promise<void> => {
    items.push(...(more as typeof items));
    if (items.length < BATCH && !isLast) return;
    await putItems(items);
    items = [];
  };
  for (const category of categories) await put(itemsOfCategory(category));
  const published: string[] = [];
  for (const listing of listingsOf(directory, listings)) {
    if (listing.project.published_at !== null) published.push(listing.project.published_at);
    await put(itemsOfListing(listing));
  }
  const since = published.sort().at(-news - 1) ?? now();
  const slugs = categories.map(({ slug }) => slug);
  for (let n = 0; n < users; n += 1) await put(itemsOfUser(n, slugs, since));
  await put([], true);
};

const run = async (name: string, forgetMails: () => void): Promise<void> => {
  globalThis.gc?.();
  const idle = process.memoryUsage.rss();
  let peak = idle;
  const sampling = setInterval(() => {
    forgetMails();
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const from = performance.now();
  const cpuFrom = process.cpuUsage();
  const { processed, sent, failed, unfinished } = await mailFollowDigests(FOURTEEN_MINUTES);
  clearInterval(sampling);
  const seconds = ((performance.now() - from) / 1000).toFixed(1);
  const { user, system } = process.cpuUsage(cpuFrom);
  const cpu = ((user + system) / 1e6).toFixed(1);
  const megabytes = ((peak - idle) / 1e6).toFixed(0);
  console.log(
    `${name}: ${processed} users, ${sent} mails, ${failed} failed, ${unfinished ? 'unfinished' : 'finished'} in ${seconds} s, ${cpu} s of CPU time, ${megabytes} MB above idle`,
  );
};

const main = async (): Promise<void> => {
  const table = await startBareTable({ MAIL_FROM: 'directory@example.com', UNSUBSCRIBE_SECRET: 'bench' });
  const ses = mockClient(SESClient);
  ses.on(SendRawEmailCommand).resolves({ MessageId: 'none' });
  try {
    await fill(Number(values.listings), Number(values.users), Number(values.new));
    await run('first run, with the load of the catalog', () => ses.resetHistory());
    await run('second run', () => ses.resetHistory());
  } finally {
    ses.restore();
    await table.stop();
  }
};

if (values.help) console.log(HELP);
else await main();
