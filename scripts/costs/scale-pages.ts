import type { Config } from '#lib/config/schema.ts';
import { ASSUMED_START, coldStartStormOf, feedLoad, MEASURED, PARTITION_UNITS, TABLE_UNITS } from './catalog-cost.ts';
import { ASSUMED_QUERIES, CACHED_SECONDS, edgeCache, hitsNeeded, pageCost } from './edge-cache.ts';
import type { StandingResources } from './idle-cost.ts';
import type { Observation } from './load-observer.ts';
import { breakEven, INSTANCE, instanceCost, MIX, monthCost, PEAK, perSecond, processorsAtPeak } from './month-cost.ts';
import { price } from './prices.ts';
import { MILLION } from './request-cost.ts';
import { amount, dollars, percent, table } from './tables.ts';

interface Stage {
  readonly config: Config;
  readonly standing: StandingResources;
}

const MONTH_SECONDS = 730 * 3600;
const MONTHS = [MILLION, 10 * MILLION, 100 * MILLION];

const coldStartRows = (config: Config) =>
  [5000, 50_000, 500_000].flatMap((listings) =>
    [10, 100, 1000].map((processes) => {
      const [snapshot, feed] = (['snapshot', 'feed'] as const).map((from) =>
        coldStartStormOf(processes, listings, from, config),
      );
      return [
        amount(listings),
        amount(processes),
        ...[snapshot, feed].flatMap((storm) =>
          storm ? [amount(storm.units), amount(Math.max(1, Math.round(storm.seconds))), dollars(storm.dollars)] : [],
        ),
      ];
    }),
  );

/** The section about processes that start at once. */
export const coldStartSection = (config: Config): string => `## Cold starts at once

After a deployment, and at the beginning of a peak, many processes load the catalog together. Read units, seconds at the limit of
the table (${amount(TABLE_UNITS)} units a second, as a new table on demand has) and dollars, first from a snapshot, then from the feed, which happens only
when no snapshot is usable and where its partitions (${amount(PARTITION_UNITS)} units a second each) limit the reads. A snapshot has ${MEASURED.snapshotBytes} bytes per listing, the feed
${amount(MEASURED.feedBytes)}; a process is assumed to take ${amount(ASSUMED_START.startMs)} ms and ${ASSUMED_START.loadMs} ms per 1,000 listings, in \`prod\`, and to wait for the table up to its
timeout. Where the seconds exceed ten, some of the first requests are answered with 503 and \`Retry-After\`, see [adr/0030](adr/0030-snapshots-of-the-catalog.md).

${table(['Listings', 'processes', 'units', 'seconds', 'dollars', 'units, feed', 'seconds', 'dollars'], coldStartRows(config))}

The cost is negligible compared with a month of traffic. Warm throughput of the table, and fewer functions that hold the catalog, shorten the time.`;

const feedRows = (config: Config) =>
  [10, 100, 1000].map((processes) => [
    amount(processes),
    ...[0, 1, 10].flatMap((changes) => {
      const { units, inOnePartition } = feedLoad(changes, config);
      const month = (processes * units * MONTH_SECONDS * price('dynamodbReadPerMillion')) / MILLION;
      return [amount(processes * units), percent((processes * inOnePartition) / PARTITION_UNITS), dollars(month)];
    }),
  ]);

/** The section about following the feed. */
export const feedSection = (config: Config): string => `## The feed with many busy processes

Each process that receives requests follows the feed, of which \`prod\` writes to ${config.feedShards} partitions. Read units a second of all of them, the share of the limit of a partition
(${amount(PARTITION_UNITS)} units a second) and dollars for a month in which they are busy all the time; without changes, with one and with ten changes a
second, each an entry of ${MEASURED.entryBytes} bytes.

${table(['Processes', 'units', 'of the limit', 'dollars', 'units, 1/s', 'of the limit', 'dollars', 'units, 10/s', 'of the limit', 'dollars'], feedRows(config))}

Above 100 % refreshes are throttled: lists are served from memory for up to half a minute, then they fail. [access-patterns.md](access-patterns.md#hot-keys) has the limits.`;

const mixText = Object.entries(MIX)
  .map(([route, share]) => `\`${route}\` ${percent(share)}`)
  .join(', ');

const monthRows = (observations: readonly Observation[], stage: Stage) =>
  MONTHS.map((requests) => {
    const { gateway, functions, table: tableCost, other, standing, total } = monthCost(requests, observations, stage);
    return [
      amount(requests / MILLION),
      ...[gateway, functions, tableCost, other, standing, total, instanceCost(requests, observations)].map(dollars),
      processorsAtPeak(requests).toFixed(2),
    ];
  });

/** The section about a month of traffic. */
export const monthSection = (observations: readonly Observation[], stage: Stage): string => `## A month

In dollars, in \`prod\` with a GB of data, for this mix of requests: ${mixText}. "Other" is events, mails, logs, traces
and transfer; users who sign in are not included. Next to it the same traffic on one instance with PostgreSQL: a t4g.medium (${INSTANCE.processors} processors, 4 GB), ${INSTANCE.diskGb} GB of disk with one backup copy, an
address, transfer and mail. The last column is the processors that it needs at a peak of ${PEAK} times the average, at ${INSTANCE.requestMs} ms per request (assumed).

${table(['Millions of requests', 'gateway', 'functions', 'table', 'other', 'standing', 'total', 'instance', 'processors'], monthRows(observations, stage))}

Below about ${amount(Math.round(breakEven(observations, stage) / 100_000) * 100_000)} requests a month the stage is cheaper, above it the instance. What the instance does not contain:

- *Redundancy.* One machine in one zone: a failure is an outage until an operator has restored the last backup, which loses what was written since.
  A second instance, a load balancer and a database with a standby cost a multiple of the instance.
- *Operation.* Updates of the system and of PostgreSQL, their restarts, backups and exercises of a restore, certificates, monitoring.
- *Elasticity.* A t4g.medium may use ${percent(INSTANCE.baseline)} of its processors all the time and more only by credits; ${amount(perSecond(MONTHS.at(-1) ?? 0) * PEAK)} requests a second are close to what it can do.
- *The application.* The service has no store for PostgreSQL. \`npm start\` runs it on one machine with the embedded database, which is for
  development; of the above it has backups (\`npm run backup\`).`;

const edgeRows = (observations: readonly Observation[], config: Config) =>
  MONTHS.map((requests) => {
    const { hits, without, with: cached } = edgeCache(requests, observations, config);
    return [
      amount(requests / MILLION),
      percent(hits),
      dollars(without),
      dollars(cached),
      percent((cached - without) / without),
    ];
  });

const PAGE_HITS = [0, 0.5, 0.9];

const pageRows = (observations: readonly Observation[], config: Config) =>
  ['site.home', 'site.project'].map((route) => [
    `\`${route}\``,
    ...[undefined, ...PAGE_HITS].map((hits) => dollars(pageCost(route, hits, observations, config))),
  ]);

/** The section about a cache in front of the gateway. */
export const edgeSection = (
  observations: readonly Observation[],
  config: Config,
): string => `## CloudFront in front of anonymous lists

With ${CACHED_SECONDS} s of caching a hit costs ${dollars(price('cloudFrontPerMillion'))} per million and a miss that in addition, so it pays from ${percent(hitsNeeded(observations, config))} hits. Assumed: all lists are anonymous
and arrive at the rate of the peak, in ${ASSUMED_QUERIES.caches} caches; ${amount(ASSUMED_QUERIES.queries)} different queries with Zipf-distributed frequencies. Dollars a month for lists alone.

${table(['Millions of requests', 'hits', 'without', 'with', 'difference'], edgeRows(observations, config))}

No stage option adds it: [adr/0051](adr/0032-cost-of-a-request.md).

## CloudFront in front of the pages

\`site.cdn\` keeps pages for a minute ([adr/0110](adr/0110-cloudfront-before-the-pages.md)). Its key costs ${dollars(price('secretPerMonth'))} a month, each million requests of any path ${dollars(price('cloudFrontPerMillion'))}, transfer
about what it costs without. A million requests for a page, by the share that CloudFront answers:

${table(['Route', 'without', ...PAGE_HITS.map(percent)], pageRows(observations, config))}

A web ACL of one's own adds ${dollars(price('webAclPerMonth'))} a month, ${dollars(price('webAclRulePerMonth'))} for each rule and ${dollars(price('webAclPerMillion'))} per million requests.`;
