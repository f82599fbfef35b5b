import type { Job, JobRun } from '#contract/jobs.ts';
import { client, dataOf } from '../../api.ts';
import { refresh, useResource } from '../../app/queries.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { LoadingTable } from '../../components/loading-table.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber, formatTime, words } from '../../format.ts';
import { text } from './strings.ts';

const titleOf = ({ name }: Job): string => words(name.replaceAll('-', '_'));

const tookOf = ({ took_ms }: JobRun): string =>
  took_ms < 1000 ? text.ms(formatNumber(took_ms)) : text.seconds(formatNumber(Math.round(took_ms / 100) / 10));

const timeOf = (hour: string, minute: string | number): string =>
  `${hour.padStart(2, '0')}:${String(minute).padStart(2, '0')}`;

/** `cron(10 1-5 * * ? *)`, with or without the last hour. */
const DAILY = /^cron\((\d+) (\d+)(?:-(\d+))? \* \* \? \*\)$/;
/** `cron(0/20 6 * * ? *)`: within one hour of every day. */
const WITHIN_HOUR = /^cron\((\d+)\/(\d+) (\d+) \* \* \? \*\)$/;
/** `cron(0/20 7-10 ? * MON *)`. */
const WEEKLY = /^cron\((\d+)\/(\d+) (\d+)-(\d+) \? \* ([A-Z]{3}) \*\)$/;

const isWeekday = (name: string): name is keyof typeof text.weekdays => Object.hasOwn(text.weekdays, name);

/** The interval of a rate, such as `5 minutes`. */
const rateOf = (schedule: string): string | undefined => /^rate\((.+)\)$/.exec(schedule)?.[1];

/** A schedule expression in words; those of other kinds as they are. */
const scheduleOf = (schedule: string): string => {
  const rate = rateOf(schedule);
  if (rate !== undefined) return text.every(rate.replace(/^1 /, ''));
  const [, minute = '', first, last] = DAILY.exec(schedule) ?? [];
  if (first !== undefined) {
    const start = timeOf(first, minute);
    return last === undefined ? text.daily(start) : text.hourly(start, timeOf(last, minute));
  }
  const [, begin, every = '', hour = ''] = WITHIN_HOUR.exec(schedule) ?? [];
  if (begin !== undefined) {
    const latest = Number(begin) + Math.floor((59 - Number(begin)) / Number(every)) * Number(every);
    return text.dailyWithin(every, timeOf(hour, begin), timeOf(hour, latest));
  }
  const [, offset = '', step = '', from = '', until = '', day = ''] = WEEKLY.exec(schedule) ?? [];
  if (!isWeekday(day)) return schedule;
  const runs = Math.floor((59 - Number(offset)) / Number(step));
  const latest = Number(offset) + runs * Number(step);
  return text.weekly(text.weekdays[day], step, timeOf(from, offset), timeOf(until, latest));
};

const StateBadge = ({ job: { is_running, off, last_run } }: { readonly job: Job }) => {
  if (is_running) return <Badge tone="accent">{text.running}</Badge>;
  if (off) return <Badge>{text.off}</Badge>;
  if (last_run === null) return <Badge>{text.never}</Badge>;
  return <Badge tone={last_run.ok ? 'good' : 'bad'}>{last_run.ok ? text.succeeded : text.failed}</Badge>;
};

/** The recent runs, oldest first, as dots. */
const Runs = ({ runs }: { readonly runs: readonly JobRun[] }) => {
  if (runs.length === 0) return null;
  const failed = runs.filter(({ ok }) => !ok).length;
  return (
    <span className="run-dots" role="img" aria-label={text.recent(runs.length, failed)}>
      {runs.toReversed().map((run) => (
        <span key={run.at} data-ok={run.ok} title={text.runTitle(formatTime(run.at), tookOf(run), run.summary)} />
      ))}
    </span>
  );
};

/** What the last run did, and why the last failed one failed. */
const Result = ({ job: { last_run, recent_runs } }: { readonly job: Job }) => {
  if (last_run === null) return null;
  const failed = last_run.ok ? recent_runs.find(({ ok }) => !ok) : undefined;
  return (
    <>
      <span className={last_run.ok ? undefined : 'field-error'}>{last_run.summary}</span>
      {failed && (
        <p className="soft small">
          {text.failedBefore} <Time at={failed.at} isAge />: {failed.summary}
        </p>
      )}
    </>
  );
};

const Off = ({ off }: { readonly off: NonNullable<Job['off']> }) => (
  <span className="soft small">
    {text.offReasons[off.reason]} {off.variable !== null && <code>{off.variable}=on</code>}
  </span>
);

const run = async (job: Job): Promise<void> => {
  await dataOf(client.jobs.run({ params: { job: job.name } }));
  notify(text.started(titleOf(job)));
  await refresh('jobs');
};

const columns: readonly Column<Job>[] = [
  {
    id: 'name',
    label: text.columns.name,
    kind: 'main',
    cell: (job) => (
      <>
        <strong>{titleOf(job)}</strong>
        <p className="soft small" title={job.schedule}>
          {scheduleOf(job.schedule)}
        </p>
        {job.off && <Off off={job.off} />}
      </>
    ),
  },
  { id: 'state', label: text.columns.state, cell: (job) => <StateBadge job={job} /> },
  {
    id: 'last',
    label: text.columns.last,
    kind: 'minor',
    cell: ({ last_run }) => last_run && <Time at={last_run.at} isAge />,
  },
  {
    id: 'took',
    label: text.columns.took,
    kind: 'end minor',
    cell: ({ last_run }) => last_run && tookOf(last_run),
  },
  {
    id: 'recent',
    label: text.columns.recent,
    kind: 'minor',
    cell: ({ recent_runs }) => <Runs runs={recent_runs} />,
  },
  { id: 'result', label: text.columns.result, kind: 'minor', cell: (job) => <Result job={job} /> },
  {
    id: 'next',
    label: text.columns.next,
    kind: 'minor',
    cell: ({ next_run_at, off, schedule }) => {
      if (off) return null;
      const rate = rateOf(schedule);
      return next_run_at ? <Time at={next_run_at} isAge /> : rate && text.within(rate);
    },
  },
  {
    id: 'run',
    label: text.columns.actions,
    cell: (job) => (
      <Button isDisabled={job.is_running || !job.is_enabled} onClick={() => void perform(async () => await run(job))}>
        {text.runNow}
      </Button>
    ),
  },
];

export const Page = () => {
  const jobs = useResource(['jobs'], (signal) => dataOf(client.jobs.list({ signal })), {
    poll: true,
    isRunning: (all) => all.some(({ is_running }) => is_running),
  });
  return (
    <>
      <PageHeader title="Jobs" />
      <Loaded query={jobs} placeholder={<LoadingTable columns={columns} />}>
        {(rows) => <Table label={text.list} columns={columns} rows={rows} idOf={({ name }) => name} nameOf={titleOf} />}
      </Loaded>
    </>
  );
};
