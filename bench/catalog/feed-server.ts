import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { marshall } from '@aws-sdk/util-dynamodb';
import { countsItem } from '#data/counts.ts';
import { inFeed } from '#data/keys.ts';
import { itemsOfCategory, itemsOfListing, listingsOf } from './directory-items.ts';
import { itemBytes } from './item-size.ts';
import { Directory, projectId } from './listings.ts';

/**
 * Simulates DynamoDB from memory for one reader of the feed, to measure the cost on the reader's side. Started by
 * growth.ts.
 */

const { values: options } = parseArgs({
  options: {
    listings: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    changes: { type: 'string', default: '10' },
  },
});

/** The maximum size of the items in one response, in bytes. */
const PAGE_BYTES = 1024 * 1024;

const size = Number(options.listings);
const directory = new Directory(Number(options.seed));
const pages: Buffer[] = [];
const sums = { cards: 0, cardBytes: 0, counts: 0, countsBytes: 0, feedBytes: 0 };
let page: string[] = [];
let pageBytes = 0;

const closePage = (isLast: boolean): void => {
  const more = isLast ? '' : `,"LastEvaluatedKey":{"pk":{"S":"${pages.length + 1}"}}`;
  pages.push(Buffer.from(`{"Items":[${page.join(',')}],"Count":${page.length},"ScannedCount":${page.length}${more}}`));
  page = [];
  pageBytes = 0;
};

const add = (item: Readonly<Record<string, unknown>>): void => {
  if (item.feed_pk === undefined) return;
  const bytes = itemBytes(item);
  sums.feedBytes += bytes;
  if (item.type === 'project') {
    sums.cards += 1;
    sums.cardBytes += bytes;
  } else if (item.type === 'counts') {
    sums.counts += 1;
    sums.countsBytes += bytes;
  }
  if (pageBytes + bytes > PAGE_BYTES) closePage(false);
  page.push(JSON.stringify(marshall(item)));
  pageBytes += bytes;
};

for (const category of directory.categories()) itemsOfCategory(category).forEach(add);
for (const listing of listingsOf(directory, size)) itemsOfListing(listing).forEach(add);
closePage(true);

let version = 1;

/** The changes since the previous refresh: counters, as changed by votes and views. */
const changes = (): string => {
  version += 1;
  const changedAt = new Date(Date.now() - 1000).toISOString();
  const items = Array.from({ length: Number(options.changes) }, () => {
    const item = countsItem(projectId(directory.below(size)), directory.counts(version));
    return JSON.stringify(marshall({ ...item, ...inFeed(changedAt, item) }));
  });
  return `{"Items":[${items.join(',')}],"Count":${items.length},"ScannedCount":${items.length}}`;
};

const NOTHING = '{"Items":[],"Count":0,"ScannedCount":0}';

interface Query {
  readonly IndexName?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
  readonly ExclusiveStartKey?: { readonly pk: { readonly S: string } };
}

const responseTo = (target: string, query: Query): Buffer | string => {
  if (!target.endsWith('.Query')) return '{}';
  if (query.IndexName !== 'feed') return NOTHING;
  if (query.ExpressionAttributeValues?.[':low'] !== undefined) return changes();
  return pages[Number(query.ExclusiveStartKey?.pk.S ?? 0)] ?? NOTHING;
};

const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const body = responseTo(String(request.headers['x-amz-target']), JSON.parse(await text(request)) as Query);
  response
    .writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': Buffer.byteLength(body) })
    .end(body);
};
const server = createServer((request, response) => void respond(request, response));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ port, pages: pages.length, ...sums })}\n`);
});
process.stdin.resume().once('end', () => process.exit(0));
