import type { Job } from '#contract/jobs.ts';
import { client, dataOf } from '../../api.ts';
import { notify, perform } from '../../app/notices.tsx';
import { refresh, useResource } from '../../app/queries.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber, words } from '../../format.ts';
import * as strings from '../../strings.ts';

const text = strings.jobs;

const titleOf = ({ name }: Job): string => words(name.replaceAll('-', '_'));

const timeOf = (hour: string, minute: string | number): string =>
  `${hour.padStart(2, '0')}:${String(minute).padStart(2, '0')}`;

/** `cron(10 1-5 * * ? *)`, with or without the last hour. */
const DAILY = /^cron\((\d+) (\d+)(?:-(\d+))? \* \* \? \*\)$/;
/** `cron(0/20 7-10 ? * MON *)`. */
const WEEKLY = /^cron\((\d+)\/(\d+) (\d+)-(\d+) \? \* ([A-Z]{3}) \*\)$/;

const isWeekday = (name: string): name is keyof typeof text.weekdays => Object.hasOwn(text.weekdays, name);

/** A schedule expression in words; those of other kinds as they are. */
const scheduleOf = (schedule: string): string => {
  const rate = /^rate\((?:1 )?(.+)\)$/.exec(schedule)?.[1];
  if (rate !== undefined) return text.every(rate);
  const [, minute = '', first, last] = DAILY.exec(schedule) ?? [];
  if (first !== undefined) {
    const start = timeOf(first, minute);
    return last === undefined ? text.daily(start) : text.hourly(start, timeOf(last, minute));
  }
  const [, offset = '', step = '', from = '', until = '', day = ''] = WEEKLY.exec(schedule) ?? [];
  if (!isWeekday(day)) return schedule;
  const runs = Math.floor((59 - Number(offset)) / Number(step));
  const latest = Number(offset) + runs * Number(step);
  return text.weekly(text.weekdays[day], step, timeOf(from, offset), timeOf(until, latest));
};

const StateBadge = ({ job: { is_running, is_enabled, last_run } }: { readonly job: Job }) => {
  if (is_running) return <Badge tone="accent">{text.running}</Badge>;
  if (!is_enabled) return <Badge>{text.off}</Badge>;
  if (last_run === null) return <Badge>{text.never}</Badge>;
  return <Badge tone={last_run.ok ? 'good' : 'bad'}>{last_run.ok ? text.succeeded : text.failed}</Badge>;
};

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
    id: 'result',
    label: text.columns.result,
    kind: 'minor',
    cell: ({ last_run }) =>
      last_run && (
        <>
          {last_run.summary} <span className="soft small">{text.took(formatNumber(last_run.took_ms))}</span>
        </>
      ),
  },
  {
    id: 'next',
    label: text.columns.next,
    kind: 'minor',
    cell: ({ next_run_at }) => next_run_at && <Time at={next_run_at} isAge />,
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
      <Loaded query={jobs}>
        {(rows) => <Table label={text.list} columns={columns} rows={rows} idOf={({ name }) => name} nameOf={titleOf} />}
      </Loaded>
    </>
  );
};
