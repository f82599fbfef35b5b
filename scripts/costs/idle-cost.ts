import { jobs } from '#events/jobs.ts';
import type { Config } from '#lib/config/schema.ts';
import { nextDue } from '#model/job.ts';
import { price } from './prices.ts';
import { ASSUMED } from './request-cost.ts';

/** Resources of a stage that cost money without traffic. */
export interface StandingResources {
  readonly alarms: number;
  /** Metrics that the alarms watch; an alarm on a query counts each metric that the query matches. */
  readonly alarmMetrics: number;
  readonly dashboards: number;
  /** Queues that the job `collect-dead-letters` reads. */
  readonly queues: number;
  readonly keys: number;
  /** Clients of the user pool that obtain tokens with their own credentials. */
  readonly serviceClients: number;
  readonly webAcls: number;
  readonly webAclRules: number;
}

/** One item of a stage's monthly cost without traffic. */
interface IdleItem {
  readonly item: string;
  readonly dollars: number;
}

const MONTH_MS = 30 * 86_400_000;
/** Reads of the table, and read units, of a job run with nothing to do. */
const JOB_READS = 3;
/** Writes that record a run. */
const JOB_WRITES = 2;

const runsPerMonth = (schedule: string): number => {
  const from = Date.UTC(2026, 0, 1);
  let runs = 0;
  for (let at = nextDue(schedule, from); at < from + MONTH_MS; at = nextDue(schedule, at)) runs += 1;
  return runs;
};

/** Runs of all jobs in a month of thirty days. */
const jobRuns = (): number => jobs.reduce((runs, { schedule }) => runs + runsPerMonth(schedule), 0);

/** How long `collect-dead-letters` waits for messages of all queues at once, in seconds. */
const COLLECT_WAIT_SECONDS = 1;

/** What the job that collects dead letters costs more than others: it waits, and reads every queue. */
const collectCost = ({ memoryMb }: Config, queues: number): number => {
  const job = jobs.find(({ route }) => route.id === 'cron.collectDeadLetters');
  if (!job) throw new Error('The job that collects dead letters is missing.');
  const runs = runsPerMonth(job.schedule);
  return (
    runs * COLLECT_WAIT_SECONDS * (memoryMb.subscriber / 1024) * price('lambdaPerGbSecond') +
    ((runs * queues) / 1_000_000) * price('queueRequestPerMillion')
  );
};

const jobsCost = ({ memoryMb }: Config): number => {
  const millions = jobRuns() / 1_000_000;
  const seconds = (ASSUMED.ownMs + (JOB_READS + JOB_WRITES) * ASSUMED.callMs) / 1000;
  return (
    millions *
    (price('schedulerPerMillion') +
      price('lambdaPerMillion') +
      JOB_READS * price('dynamodbReadPerMillion') +
      JOB_WRITES * price('dynamodbWritePerMillion') +
      seconds * (memoryMb.subscriber / 1024) * price('lambdaPerGbSecond') * 1_000_000)
  );
};

/** Monthly cost of a stage without traffic and stored data, in dollars. */
export const idleCost = (config: Config, standing: StandingResources): readonly IdleItem[] =>
  [
    {
      item: `${standing.alarms} alarms on ${standing.alarmMetrics} metrics`,
      dollars: standing.alarmMetrics * price('alarmPerMonth'),
    },
    { item: 'dashboard', dollars: standing.dashboards * price('dashboardPerMonth') },
    { item: `jobs, ${jobRuns().toLocaleString('en')} runs`, dollars: jobsCost(config) },
    { item: `reading ${standing.queues} dead-letter queues`, dollars: collectCost(config, standing.queues) },
    { item: 'customer managed keys', dollars: standing.keys * price('keyPerMonth') },
    {
      item: `service clients of sign-in, ${standing.serviceClients}`,
      dollars: standing.serviceClients * price('serviceClientPerMonth'),
    },
    {
      item: 'web ACL',
      dollars: standing.webAcls * price('webAclPerMonth') + standing.webAclRules * price('webAclRulePerMonth'),
    },
  ].filter(({ dollars }) => dollars > 0);

/** Monthly cost of a GB of data with its backups, in dollars. */
export const storedCost = ({ pointInTimeRecovery, backup }: Config): number =>
  price('dynamodbStoragePerGbMonth') +
  (pointInTimeRecovery ? price('dynamodbPitrPerGbMonth') : 0) +
  (backup ? (backup.dailyDays + Math.floor(backup.monthlyDays / 30)) * price('backupPerGbMonth') : 0);
