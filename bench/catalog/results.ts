import type { Measured } from './measuring.ts';
import type { RequestKind } from './request-kinds.ts';

/** The measurements of one server, one per round. */
interface Rounds {
  readonly sequential: readonly Measured[];
  readonly concurrency: readonly Measured[];
}

/** By kind of request and by server. */
export type Results = Map<
  string,
  { readonly kind: RequestKind['kind']; readonly candidates: ReadonlyMap<string, Rounds> }
>;

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const median = (values: readonly number[]): number =>
  at(
    values.toSorted((a, b) => a - b),
    0.5,
  );

const throughput = (rounds: Rounds | undefined): number =>
  median(rounds?.concurrency.map(({ perSecond }) => perSecond) ?? []);

const latency = (rounds: Rounds | undefined): { median: number; p99: number } => {
  const times = rounds?.sequential.flatMap((measured) => measured.times).toSorted((a, b) => a - b) ?? [];
  return { median: at(times, 0.5), p99: at(times, 0.99) };
};

const milliseconds = (value: number): string => value.toFixed(value < 10 ? 2 : 1);
const ratio = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)}×`;

const NAME = 31;
const CELL = 15;

const row = (name: string, cells: readonly string[]): string =>
  name.padEnd(NAME) + cells.map((cell) => cell.padStart(CELL)).join('');

/** The results of some kinds: latency of sequential requests and throughput of concurrent requests. */
const tables = (results: Results, names: readonly string[]): string => {
  const lines: string[] = [];
  lines.push(row('ms, sequential: median / p99', names));
  for (const [kindName, { candidates }] of results) {
    const cells = names.map((name) => {
      const rounds = candidates.get(name);
      if (!rounds) return '-';
      const { median: middle, p99 } = latency(rounds);
      return `${milliseconds(middle)} / ${milliseconds(p99)}`;
    });
    lines.push(row(kindName, cells));
  }
  const others = names.filter((name) => name !== 'service' && name !== 'handler');
  lines.push('', row('requests/s at 16', [...names, ...others.map((name) => `of ${name}`)]));
  for (const [kindName, { candidates }] of results) {
    const ours = throughput(candidates.get('service'));
    lines.push(
      row(kindName, [
        ...names.map((name) => (candidates.has(name) ? throughput(candidates.get(name)).toFixed(0) : '-')),
        ...others.map((name) => (candidates.has(name) ? ratio(ours / throughput(candidates.get(name))) : '-')),
      ]),
    );
  }
  return lines.join('\n');
};

const TITLES: Readonly<Record<RequestKind['kind'], string>> = {
  repeated: 'Lists, repeated queries',
  distinct: 'Lists, distinct queries',
  ranked: 'Searches by relevance, distinct queries',
  clusters: 'Clusters of the map, distinct parts',
  read: 'Single listings',
};

/** The tables, repeated before distinct queries. */
export const show = (results: Results, names: readonly string[]): string => {
  const lines = Object.entries(TITLES).flatMap(([kind, title]) => {
    const ofKind: Results = new Map([...results].filter(([, one]) => one.kind === kind));
    return ofKind.size === 0 ? [] : ['', title, tables(ofKind, names)];
  });
  const loads = [...results.values()].flatMap(({ candidates }) =>
    [...candidates]
      .filter(([name]) => name !== 'handler')
      .flatMap(([, rounds]) => rounds.concurrency.map(({ load }) => load)),
  );
  const peak = Math.max(...loads);
  lines.push(
    '',
    `The load generator used at most ${(peak * 100).toFixed(0)} % of a core${peak > 0.9 ? ': it may have been the bottleneck.' : '.'}`,
  );
  return lines.join('\n');
};

/** The number of listings for which the goals are defined. */
const GOAL_SIZE = 50_000;

/** Group of lists, peer, least geometric mean of the ratios to the peer, least ratio of any kind. */
const GOALS = [
  ['repeated', 'postgresql', 5, 1],
  ['repeated', 'sqlite', 4, 1],
  ['distinct', 'postgresql', 20, 8],
  ['distinct', 'sqlite', 20, 8],
  ['ranked', 'postgresql', 10, 10],
  ['ranked', 'sqlite', 10, 10],
] as const;
const DISTINCT_P50_MS = 0.4;
/** Milliseconds at one connection by kind: median and 99th percentile. */
type LatencyGoals = Readonly<Record<string, readonly [median: number, p99: number]>>;

const LATENCY_GOALS: LatencyGoals = {
  'fuzzy, by relevance': [4, 25],
  suggestions: [2, 10],
  'two fields, facets, field sort': [1.5, 8],
  clusters: [3, 15],
};

/** The number of listings for which these are the goals instead. */
const LARGE_SIZE = 500_000;
const LARGE_LATENCY_GOALS: LatencyGoals = {
  'fuzzy, by relevance': [30, 150],
  suggestions: [15, 60],
  'two fields, facets, field sort': [6, 40],
  clusters: [20, 60],
};

const verdict = (name: string, value: number, goal: number): string =>
  `${value >= goal ? 'PASS' : 'MISS'}  ${name}: ${ratio(value)} (goal: at least ${ratio(goal)})`;

/** Compares the results with the goals. */
export const judge = (results: Results, size: number): string => {
  const ratios = (to: string, kind: RequestKind['kind']): { kindName: string; value: number }[] =>
    [...results].flatMap(([kindName, { kind: of, candidates }]) => {
      const other = candidates.get(to);
      return of === kind && other
        ? [{ kindName, value: throughput(candidates.get('service')) / throughput(other) }]
        : [];
    });
  const lines: string[] = [''];
  const latencyGoals = size === LARGE_SIZE ? LARGE_LATENCY_GOALS : LATENCY_GOALS;
  if (size !== GOAL_SIZE)
    lines.push(`Ratios and the goals of other lists are for ${GOAL_SIZE.toLocaleString('en')} listings.`);
  for (const [kind, peer, mean, least] of GOALS) {
    const values = ratios(peer, kind);
    if (values.length === 0) continue;
    const lists = `${kind} lists, requests/s of ${peer}`;
    const product = values.reduce((sum, { value }) => sum + Math.log(value), 0);
    lines.push(verdict(`${lists}, geometric mean of ${values.length} kinds`, Math.exp(product / values.length), mean));
    const worst = values.reduce((smallest, one) => (one.value < smallest.value ? one : smallest));
    lines.push(verdict(`${lists}, least of all kinds ("${worst.kindName}")`, worst.value, least));
  }
  for (const [kindName, { candidates }] of results) {
    const goals = latencyGoals[kindName];
    if (!goals) continue;
    const { median: p50, p99 } = latency(candidates.get('service'));
    const isMet = p50 <= goals[0] && p99 <= goals[1];
    lines.push(
      `${isMet ? 'PASS' : 'MISS'}  "${kindName}", median / p99 at 1 connection: ${milliseconds(p50)} / ${milliseconds(p99)} ms (goal: ${goals.join(' / ')})`,
    );
  }
  for (const [kindName, { kind, candidates }] of results) {
    if (kind !== 'distinct' || kindName in LATENCY_GOALS) continue;
    const { median: p50 } = latency(candidates.get('service'));
    lines.push(
      `${p50 <= DISTINCT_P50_MS ? 'PASS' : 'MISS'}  distinct "${kindName}", p50 at 1 connection: ${milliseconds(p50)} ms (goal: at most ${DISTINCT_P50_MS} ms)`,
    );
  }
  const bare = ratios('bare', 'repeated').find(({ kindName }) => kindName === 'first page');
  if (bare) {
    const { candidates } = results.get('first page') ?? {};
    const figures = `${throughput(candidates?.get('service')).toFixed(0)} of ${throughput(candidates?.get('bare')).toFixed(0)}`;
    lines.push(verdict(`first page, requests/s of the bare server (${figures})`, bare.value, 0.25));
  }
  const read = ratios('postgresql', 'read')[0];
  if (read) lines.push(verdict('single read, requests/s of postgresql', read.value, 0.25));
  return lines.join('\n');
};
