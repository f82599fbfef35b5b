import type { Measured } from './measuring.ts';
import type { Question } from './questions.ts';

/** What was measured of one server, a part per round. */
export interface Rounds {
  readonly alone: readonly Measured[];
  readonly together: readonly Measured[];
}

/** What was measured, by question and by who answered. */
export type Results = Map<string, { readonly kind: Question['kind']; readonly lanes: ReadonlyMap<string, Rounds> }>;

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const median = (values: readonly number[]): number =>
  at(
    values.toSorted((a, b) => a - b),
    0.5,
  );

const throughput = (rounds: Rounds | undefined): number =>
  median(rounds?.together.map(({ perSecond }) => perSecond) ?? []);

const latency = (rounds: Rounds | undefined): { median: number; p99: number } => {
  const times = rounds?.alone.flatMap((measured) => measured.times).toSorted((a, b) => a - b) ?? [];
  return { median: at(times, 0.5), p99: at(times, 0.99) };
};

const milliseconds = (value: number): string => value.toFixed(value < 10 ? 2 : 1);
const ratio = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)}×`;

const NAME = 31;
const CELL = 15;

const row = (name: string, cells: readonly string[]): string =>
  name.padEnd(NAME) + cells.map((cell) => cell.padStart(CELL)).join('');

/** The tables: times of one request at a time, and requests per second with several on their way. */
export const show = (results: Results, names: readonly string[]): string => {
  const lines: string[] = [''];
  lines.push(row('ms, one at a time: median / p99', names));
  for (const [question, { lanes }] of results) {
    const cells = names.map((name) => {
      const { median: middle, p99 } = latency(lanes.get(name));
      return `${milliseconds(middle)} / ${milliseconds(p99)}`;
    });
    lines.push(row(question, cells));
  }
  const others = names.filter((name) => name !== 'service' && name !== 'handler');
  lines.push('', row('requests/s at 16', [...names, ...others.map((name) => `of ${name}`)]));
  for (const [question, { lanes }] of results) {
    const ours = throughput(lanes.get('service'));
    lines.push(
      row(question, [
        ...names.map((name) => throughput(lanes.get(name)).toFixed(0)),
        ...others.map((name) => ratio(ours / throughput(lanes.get(name)))),
      ]),
    );
  }
  const loads = [...results.values()].flatMap(({ lanes }) =>
    [...lanes].filter(([name]) => name !== 'handler').flatMap(([, rounds]) => rounds.together.map(({ load }) => load)),
  );
  const busiest = Math.max(...loads);
  lines.push(
    '',
    `What sends the requests took at most ${(busiest * 100).toFixed(0)} % of a core${busiest > 0.9 ? ': it may have been the bottleneck.' : '.'}`,
  );
  return lines.join('\n');
};

/** The goals are for a directory of this size. */
const GOAL_SIZE = 50_000;

const verdict = (name: string, value: number, goal: number): string =>
  `${value >= goal ? 'PASS' : 'MISS'}  ${name}: ${ratio(value)} (goal: at least ${ratio(goal)})`;

/** The goals beside the figures. */
export const judge = (results: Results, size: number): string => {
  const ratios = (to: string, kind: Question['kind']): { question: string; value: number }[] =>
    [...results].flatMap(([question, { kind: of, lanes }]) => {
      const other = lanes.get(to);
      return of === kind && other ? [{ question, value: throughput(lanes.get('service')) / throughput(other) }] : [];
    });
  const lines: string[] = [''];
  if (size !== GOAL_SIZE) lines.push(`The goals are for ${GOAL_SIZE.toLocaleString('en')} listings.`);
  for (const [peer, goal] of [
    ['postgresql', 5],
    ['sqlite', 4],
  ] as const) {
    const lists = ratios(peer, 'list');
    if (lists.length === 0) continue;
    const mean = Math.exp(lists.reduce((sum, { value }) => sum + Math.log(value), 0) / lists.length);
    lines.push(verdict(`geometric mean of ${lists.length} list questions, requests/s of ${peer}`, mean, goal));
    const worst = lists.reduce((least, one) => (one.value < least.value ? one : least));
    lines.push(verdict(`slowest list question against ${peer} ("${worst.question}")`, worst.value, 1));
  }
  const bare = ratios('bare', 'list').find(({ question }) => question === 'first page');
  if (bare) {
    const { lanes } = results.get('first page') ?? {};
    const figures = `${throughput(lanes?.get('service')).toFixed(0)} of ${throughput(lanes?.get('bare')).toFixed(0)}`;
    lines.push(verdict(`first page, requests/s of the bare server (${figures})`, bare.value, 0.2));
  }
  const read = ratios('postgresql', 'read')[0];
  if (read) lines.push(verdict('single read, requests/s of postgresql', read.value, 0.25));
  return lines.join('\n');
};
