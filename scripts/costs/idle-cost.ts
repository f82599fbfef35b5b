import { jobs } from '#events/jobs.ts';
import { nextDue } from '#events/schedule-expression.ts';
import type { Config } from '#lib/config.ts';
import { price } from './prices.ts';
import { ASSUMED } from './request-cost.ts';

/** What stands in a stage's templates, as far as it costs something while nobody comes. */
export interface Standing {
  readonly alarms: number;
  readonly dashboards: number;
  readonly keys: number;
  readonly webAcls: number;
  readonly webAclRules: number;
}

/** A line of what a stage costs in a month in which nobody comes. */
export interface IdleLine {
  readonly what: string;
  readonly dollars: number;
}

const MONTH_MS = 30 * 86_400_000;
/** What a run of a job with nothing to do asks the table, and the units that it reads. */
const JOB_CALLS = 3;

const runsPerMonth = (schedule: string): number => {
  const from = Date.UTC(2026, 0, 1);
  let runs = 0;
  for (let at = nextDue(schedule, from); at < from + MONTH_MS; at = nextDue(schedule, at)) runs += 1;
  return runs;
};

/** How often the jobs run in a month of thirty days, all together. */
const jobRuns = (): number => jobs.reduce((runs, { schedule }) => runs + runsPerMonth(schedule), 0);

const jobsCost = ({ memoryMb }: Config): number => {
  const millions = jobRuns() / 1_000_000;
  const seconds = (ASSUMED.ownMs + JOB_CALLS * ASSUMED.callMs) / 1000;
  return (
    millions *
    (price('schedulerPerMillion') +
      price('lambdaPerMillion') +
      JOB_CALLS * price('dynamodbReadPerMillion') +
      seconds * (memoryMb.subscriber / 1024) * price('lambdaPerGbSecond') * 1_000_000)
  );
};

/** What a stage costs in a month in which nobody comes, without what its data takes, in dollars. */
export const idleCost = (config: Config, standing: Standing): readonly IdleLine[] =>
  [
    { what: `${standing.alarms} alarms`, dollars: standing.alarms * price('alarmPerMonth') },
    { what: 'dashboard', dollars: standing.dashboards * price('dashboardPerMonth') },
    { what: `jobs, ${jobRuns().toLocaleString('en')} runs`, dollars: jobsCost(config) },
    { what: 'key of its own', dollars: standing.keys * price('keyPerMonth') },
    {
      what: 'web ACL',
      dollars: standing.webAcls * price('webAclPerMonth') + standing.webAclRules * price('webAclRulePerMonth'),
    },
  ].filter(({ dollars }) => dollars > 0);

/** What a GB of data costs a month in a stage, with what is kept of it beside it, in dollars. */
export const storedCost = ({ pointInTimeRecovery, backup }: Config): number =>
  price('dynamodbStoragePerGbMonth') +
  (pointInTimeRecovery ? price('dynamodbPitrPerGbMonth') : 0) +
  (backup ? (backup.dailyDays + Math.floor(backup.monthlyDays / 30)) * price('backupPerGbMonth') : 0);
