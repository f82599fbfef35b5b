import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { jobs } from '#events/jobs.ts';
import { configOf } from '#lib/config.ts';
import { longestPause } from '#lib/constructs/missed-run-alarm.ts';
import { constructIdOf } from '#lib/handlers.ts';
import { filesIn } from '#test/invariants/sources.ts';
import { longTest } from '#test/support/long-test.ts';
import { named, ofType, type Resource, synthesize, targetOf } from './synthesized.ts';

/** Monthly cost of an alarm in US dollars, for periods of one minute and longer. */
const ALARM_COST = 0.1;
const ALARMS_COST_MAX = 10;

const config = configOf('prod');
const stage = synthesize(config);
const alarmsOf = ({ all }: typeof stage): readonly Resource[] =>
  all.flatMap((stack) => ofType(stack, 'AWS::CloudWatch::Alarm'));
const alarms = alarmsOf(stage);

const runbook = readFileSync('docs/runbook.md', 'utf8');
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9 ]/g, '')
    .trim()
    .replaceAll(' ', '-');
/** Sections by anchor. Sections below "Without an alarm" describe maintenance work. */
const sections = new Map(
  (runbook.split(/^## Without an alarm$/m)[0] ?? '')
    .split(/^## /m)
    .slice(1)
    .map((section): [string, string] => [anchorOf(section.split('\n')[0] ?? ''), section]),
);
const sectionOf = ({ properties }: Resource): string | undefined =>
  /See docs\/runbook\.md#([a-z0-9-]+)$/.exec(String(properties.AlarmDescription))?.[1];

describe('the runbook', () => {
  it.each(alarms)('the runbook has a section for $logicalId, whose description starts with a sentence', (alarm) => {
    expect([...sections.keys()]).toContain(sectionOf(alarm));
    expect(String(alarm.properties.AlarmDescription)).toMatch(/^[A-Z0-9][^#]*\. See /i);
  });

  it('the runbook has exactly the sections that alarms refer to', () => {
    expect([...sections.keys()].sort()).toEqual([...new Set(alarms.map(sectionOf))].sort());
  });

  it.each([...sections])('the runbook has the meaning, investigation and fix in %s', (_, section) => {
    const parts = [...section.matchAll(/^\*\*(What it means|How to investigate|How to fix)\.\*\*/gm)];
    expect(parts.map(([, part]) => part)).toEqual(['What it means', 'How to investigate', 'How to fix']);
    const [, , how] = section.split(/^\*\*(?:What it means|How to investigate|How to fix)\.\*\*/m);
    expect(how).toMatch(/(?:`|^)(?:aws [a-z]|search '|curl )/m);
  });

  it('the runbook searches logs for messages that the code writes', () => {
    const code = filesIn('shared/**/*.ts', 'functions/**/*.ts')
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const searched = [...runbook.matchAll(/message (?:like \/([^/]+)\/|= "([^"]+)")/g)].map(
      ([, like, is]) => like ?? is,
    );
    expect(searched.length).toBeGreaterThan(5);
    expect(searched.filter((words) => !code.includes(String(words)))).toEqual([]);
  });
});

const dimensionsOf = ({ properties }: Resource) =>
  (properties.Dimensions ?? []) as readonly { readonly Name: string; readonly Value: unknown }[];
const watched = (section: string) => alarms.filter((alarm) => sectionOf(alarm) === section);
const metricNames = (section: string) => watched(section).map(({ properties }) => properties.MetricName);

it('the alarms cover server errors of each gateway', () => {
  expect(metricNames('gateway-answers-5xx')).toEqual(['5XXError', '5XXError']);
});

it('the alarms cover one slow response in a hundred, of routes with the usual time', () => {
  const [alarm] = watched('responses-are-slow');
  expect(alarm?.properties).toMatchObject({ Threshold: 1, EvaluationPeriods: 3 });
  const metrics = alarm?.properties.Metrics as readonly {
    readonly Id: string;
    readonly Expression?: string;
    readonly MetricStat?: { readonly Metric: { readonly MetricName: string }; readonly Stat: string };
  }[];
  expect(metrics.map(({ Expression }) => Expression).filter(Boolean)).toEqual([
    '100 * slow / SUM([requests0, requests1])',
  ]);
  expect(
    metrics.flatMap(({ Id, MetricStat }) => (MetricStat ? [[Id, MetricStat.Metric.MetricName, MetricStat.Stat]] : [])),
  ).toEqual([
    ['slow', 'SlowResponse', 'Sum'],
    ['requests0', 'Count', 'SampleCount'],
    ['requests1', 'Count', 'SampleCount'],
  ]);
});

it('the alarms cover errors and throttles of all functions together', () => {
  for (const section of ['functions-fail', 'functions-are-throttled']) {
    const [alarm] = watched(section);
    expect(alarm?.properties).toMatchObject({ Namespace: 'AWS/Lambda', Statistic: 'Sum' });
    expect(alarm && dimensionsOf(alarm)).toEqual([]);
  }
});

it('the alarms cover throttles and errors of the table over all operations', () => {
  const expressions = ['table-throttles', 'table-fails'].map((section) =>
    JSON.stringify(watched(section)[0]?.properties.Metrics),
  );
  expect(expressions[0]).toMatch(/SELECT SUM\(ThrottledRequests\) FROM SCHEMA\(.*TableName = '/);
  expect(expressions[1]).toMatch(/SELECT SUM\(SystemErrors\) FROM SCHEMA\(.*TableName = '/);
});

it.each([
  ['payment-mismatch', 'PaymentMismatch', 1],
  ['rule-failed', 'RuleFailed', 1],
  ['unhandled-errors', 'UnhandledError', 1],
  ['catalog-stale', 'CatalogStale', 10],
  ['catalog-item-skipped', 'CatalogItemSkipped', 1],
  ['rate-counter-unavailable', 'RateCounterUnavailable', 10],
  ['outbox-item-skipped', 'OutboxItemSkipped', 1],
  ['long-responses-are-slow', 'SlowLongResponse', 3],
])('the alarms cover the service metric of %s', (section, metric, threshold) => {
  expect(watched(section).map(({ properties }) => properties)).toMatchObject([
    { Namespace: 'Directory/prod', MetricName: metric, Threshold: threshold, Statistic: 'Sum' },
  ]);
});

it('the alarms cover every dead-letter queue', () => {
  const queues = stage.all
    .flatMap((stack) => ofType(stack, 'AWS::SQS::Queue').map(({ logicalId }) => logicalId))
    // Events of completed backups, which nothing has to process.
    .filter((logicalId) => !logicalId.startsWith('BackupCompleted'));
  const withAlarm = alarms
    .filter(({ properties }) => properties.MetricName === 'ApproximateNumberOfMessagesVisible')
    .flatMap(dimensionsOf)
    .map(({ Value }) => targetOf(Value));
  expect(withAlarm.sort()).toEqual(queues.sort());
});

it.each([...jobs])('the alarms report that $route.id was not invoked', ({ route }) => {
  const { logicalId } = named(stage.events, 'AWS::Lambda::Function', constructIdOf(route.id));
  const alarm = watched('job-did-not-run').find((one) =>
    dimensionsOf(one).some(({ Value }) => targetOf(Value) === logicalId),
  );
  expect(alarm?.properties).toMatchObject({
    MetricName: 'Invocations',
    Threshold: 1,
    ComparisonOperator: 'LessThanThreshold',
    TreatMissingData: 'breaching',
  });
});

it('the alarms treat missing data as good, except for jobs and backups that must run', () => {
  const others = alarms.filter(
    (alarm) => sectionOf(alarm) !== 'job-did-not-run' && !alarm.logicalId.startsWith('BackupMissing'),
  );
  expect(new Set(others.map(({ properties }) => properties.TreatMissingData))).toEqual(new Set(['notBreaching']));
});

it('the alarms cost less than the limit', () => {
  const metrics = alarms.flatMap(({ properties }) => (properties.Metrics as readonly unknown[]) ?? [properties]);
  expect(metrics.length * ALARM_COST).toBeLessThan(ALARMS_COST_MAX);
});

it.each([
  ['rate(1 minute)', 60],
  ['rate(1 hour)', 3600],
  ['cron(10 1-5 * * ? *)', 20 * 3600],
  ['cron(40 2 * * ? *)', 24 * 3600],
  // From the last run on Monday to the first one of the next Monday.
  ['cron(0/20 7-10 ? * MON *)', 7 * 24 * 3600 - (3 * 3600 + 40 * 60)],
])('%s pauses for at most %i seconds', (expression, seconds) => {
  expect(longestPause(expression)).toBe(seconds * 1000);
});

it('a schedule is rejected when its pauses are longer than an alarm can evaluate', () => {
  expect(() => longestPause('rate(8 days)')).toThrow('more than a week');
});

it.each([...jobs])(
  'the time without a run that raises an alarm is longer than the longest pause of $route.id, and within the limit of CloudWatch',
  (job) => {
    const alarm = alarms.find(({ properties }) =>
      String(properties.AlarmDescription).startsWith(`The job ${job.route.id} has not`),
    );
    const { Period: period, EvaluationPeriods: periods } = (alarm?.properties ?? {}) as Record<string, number>;
    if (period === undefined || periods === undefined) throw new Error(`The alarm of ${job.route.id} has no period.`);
    const seconds = period * periods;
    const flexibleSeconds = 60 * ('flexibleMinutes' in job ? job.flexibleMinutes : 0);
    expect(seconds).toBeGreaterThan(longestPause(job.schedule) / 1000 + flexibleSeconds + period);
    expect(seconds).toBeLessThanOrEqual(period < 3600 ? 86_400 : 604_800);
  },
);

const topic = ofType(stage.data, 'AWS::SNS::Topic')[0];

it('the alarm topic notifies the address of the stage when any alarm starts and ends', () => {
  expect(ofType(stage.data, 'AWS::SNS::Subscription').map(({ properties }) => properties)).toMatchObject([
    { Protocol: 'email', Endpoint: 'operations@directory.example' },
  ]);
  for (const { logicalId, properties } of alarms) {
    const actions = properties.AlarmActions as readonly unknown[] | undefined;
    expect(actions, logicalId).toHaveLength(1);
    expect([topic?.logicalId, 'AlarmTopicArn'], logicalId).toContain(targetOf(actions?.[0]));
    expect(properties.OKActions, logicalId).toEqual(actions);
  }
});

it('the alarm topic is passed on to the alarms of other stacks', () => {
  const { Name, Value } = named(stage.data, 'AWS::SSM::Parameter', 'AlarmTopicArnParameter').properties;
  expect(targetOf(Value)).toBe(topic?.logicalId);
  for (const { content } of [stage.events, stage.api]) expect(content.Parameters?.AlarmTopicArn?.Default).toBe(Name);
});

longTest('the alarm topic does not exist in a stage without an address', () => {
  const withoutAddress = synthesize({ ...config, alarms: {} });
  expect(ofType(withoutAddress.data, 'AWS::SNS::Topic')).toEqual([]);
  expect(alarmsOf(withoutAddress)).toHaveLength(alarms.length);
  expect(alarmsOf(withoutAddress).some(({ properties }) => 'AlarmActions' in properties)).toBe(false);
});

it('the alarm topic is encrypted, and accepts alarms of this account over TLS only', () => {
  const key = ofType(stage.data, 'AWS::KMS::Key').find(({ logicalId }) => logicalId.startsWith('AlarmTopic'));
  expect(targetOf(topic?.properties.KmsMasterKeyId)).toBe(key?.logicalId);
  expect(key?.properties.EnableKeyRotation).toBe(true);
  const policy = JSON.stringify(ofType(stage.data, 'AWS::SNS::TopicPolicy')[0]?.properties);
  expect(policy).toContain('"aws:SecureTransport":"false"');
  for (const statements of [policy, JSON.stringify(key?.properties.KeyPolicy)]) {
    expect(statements).toMatch(/"aws:SourceAccount":\{"Ref":"AWS::AccountId"\}.*"cloudwatch\.amazonaws\.com"/);
  }
});

it('the alarm topic is not imported by other stacks', () => {
  for (const { text } of [stage.events, stage.api]) expect(text).not.toMatch(/ImportValue":"[^"]*AlarmTopic/);
});
