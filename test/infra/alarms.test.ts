import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { jobs } from '#events/jobs.ts';
import { longestPause } from '#events/schedule-expression.ts';
import { configOf } from '#lib/config.ts';
import { watchOf } from '#lib/constructs/did-not-run.ts';
import { runbookSections } from '#lib/constructs/runbook-alarm.ts';
import { constructIdOf } from '#lib/doors.ts';
import { filesIn } from '../laws/sources.ts';
import { named, ofType, type Resource, synthesize, targetOf } from './synthesized.ts';

/** What an alarm costs a month, in US dollars; metrics of one minute and longer. */
const ALARM_COST = 0.1;
const ALARMS_COST_MAX = 10;

const config = configOf('prod');
const stage = synthesize({ ...config, alarms: { email: 'operations@directory.example' } });
const quiet = synthesize({ ...config, alarms: {} });
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
/** The sections by their anchors; what stands behind the alarms' is for work that nobody is called to. */
const sections = new Map(
  (runbook.split(/^## Without an alarm$/m)[0] ?? '')
    .split(/^## /m)
    .slice(1)
    .map((section): [string, string] => [anchorOf(section.split('\n')[0] ?? ''), section]),
);
const sectionOf = ({ properties }: Resource): string | undefined =>
  /See docs\/runbook\.md#([a-z0-9-]+)$/.exec(String(properties.AlarmDescription))?.[1];

describe('the runbook', () => {
  it.each(alarms)('has a section for $logicalId, which says first what has happened', (alarm) => {
    expect([...sections.keys()]).toContain(sectionOf(alarm));
    expect(String(alarm.properties.AlarmDescription)).toMatch(/^[A-Z0-9][^#]*\. See /i);
  });

  it('has no section that no alarm leads to, and alarms know no other', () => {
    expect([...sections.keys()].sort()).toEqual([...new Set(alarms.map(sectionOf))].sort());
    expect([...runbookSections].sort()).toEqual([...sections.keys()].sort());
  });

  it.each([...sections])('says in %s what it means, how to look and how to mend', (_, section) => {
    const parts = [...section.matchAll(/^\*\*(What it means|How to look|How to mend)\.\*\*/gm)];
    expect(parts.map(([, part]) => part)).toEqual(['What it means', 'How to look', 'How to mend']);
    const [, , how] = section.split(/^\*\*(?:What it means|How to look|How to mend)\.\*\*/m);
    expect(how).toMatch(/(?:`|^)(?:aws [a-z]|search '|curl )/m);
  });

  it('searches logs for what the code writes', () => {
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

describe('what is watched', () => {
  const dimensionsOf = ({ properties }: Resource) =>
    (properties.Dimensions ?? []) as readonly { readonly Name: string; readonly Value: unknown }[];
  const watched = (section: string) => alarms.filter((alarm) => sectionOf(alarm) === section);
  const metricNames = (section: string) => watched(section).map(({ properties }) => properties.MetricName);

  it('is each gateway: failures, and slow answers for a while', () => {
    expect(metricNames('gateway-answers-5xx')).toEqual(['5XXError', '5XXError']);
    expect(watched('gateway-is-slow').map(({ properties }) => properties)).toMatchObject(
      Array.from({ length: 2 }, () => ({
        MetricName: 'Latency',
        ExtendedStatistic: 'p99',
        Threshold: 5000,
        EvaluationPeriods: 3,
      })),
    );
  });

  it('is all functions together', () => {
    for (const section of ['functions-fail', 'functions-are-throttled']) {
      const [alarm] = watched(section);
      expect(alarm?.properties).toMatchObject({ Namespace: 'AWS/Lambda', Statistic: 'Sum' });
      expect(alarm && dimensionsOf(alarm)).toEqual([]);
    }
  });

  it('is the table, over all operations', () => {
    const expressions = ['table-throttles', 'table-fails'].map((section) =>
      JSON.stringify(watched(section)[0]?.properties.Metrics),
    );
    expect(expressions[0]).toMatch(/SELECT SUM\(ThrottledRequests\) FROM SCHEMA\(.*TableName = '/);
    expect(expressions[1]).toMatch(/SELECT SUM\(SystemErrors\) FROM SCHEMA\(.*TableName = '/);
  });

  it.each([
    ['payment-mismatch', 'PaymentMismatch', 1],
    ['unhandled-errors', 'UnhandledError', 1],
    ['catalog-stale', 'CatalogStale', 10],
    ['catalog-item-skipped', 'CatalogItemSkipped', 1],
    ['rate-counter-unavailable', 'RateCounterUnavailable', 10],
    ['outbox-item-skipped', 'OutboxItemSkipped', 1],
  ])('is what the service counts: %s', (section, metric, threshold) => {
    expect(watched(section).map(({ properties }) => properties)).toMatchObject([
      { Namespace: 'Directory/prod', MetricName: metric, Threshold: threshold, Statistic: 'Sum' },
    ]);
  });

  it('is every dead-letter queue', () => {
    const queues = stage.all.flatMap((stack) => ofType(stack, 'AWS::SQS::Queue').map(({ logicalId }) => logicalId));
    const withAlarm = alarms
      .filter(({ properties }) => properties.MetricName === 'ApproximateNumberOfMessagesVisible')
      .flatMap(dimensionsOf)
      .map(({ Value }) => targetOf(Value));
    expect(withAlarm.sort()).toEqual(queues.sort());
  });

  it.each([...jobs])('is $route.id: that it is started at all', ({ route }) => {
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

  it('is good news where there are no numbers, but for what has to happen', () => {
    const others = alarms.filter(
      (alarm) => sectionOf(alarm) !== 'job-did-not-run' && !alarm.logicalId.startsWith('BackupMissing'),
    );
    expect(new Set(others.map(({ properties }) => properties.TreatMissingData))).toEqual(new Set(['notBreaching']));
  });

  it('stays cheap', () => {
    const metrics = alarms.flatMap(({ properties }) => (properties.Metrics as readonly unknown[]) ?? [properties]);
    expect(metrics.length * ALARM_COST).toBeLessThan(ALARMS_COST_MAX);
  });
});

describe('how long a job may be silent', () => {
  it.each([
    ['rate(1 minute)', 60],
    ['rate(1 hour)', 3600],
    ['cron(10 1-5 * * ? *)', 20 * 3600],
    ['cron(40 2 * * ? *)', 24 * 3600],
    // From the last run on Monday to the first of the next.
    ['cron(0/20 7-10 ? * MON *)', 7 * 24 * 3600 - (3 * 3600 + 40 * 60)],
  ])('%s leaves at most %i seconds', (expression, seconds) => {
    expect(longestPause(expression)).toBe(seconds * 1000);
  });

  it('is told where a schedule cannot be watched', () => {
    expect(() => longestPause('rate(8 days)')).toThrow('more than a week');
  });

  it.each([...jobs])('is longer than the schedule of $route.id ever leaves, and what alarms can look back', (job) => {
    const { period, periods } = watchOf(job);
    const seconds = period.toSeconds() * periods;
    const flexibleSeconds = 60 * ('flexibleMinutes' in job ? job.flexibleMinutes : 0);
    expect(seconds).toBeGreaterThan(longestPause(job.schedule) / 1000 + flexibleSeconds + period.toSeconds());
    expect(seconds).toBeLessThanOrEqual(period.toSeconds() < 3600 ? 86_400 : 604_800);
  });
});

describe('who is told', () => {
  const topic = ofType(stage.data, 'AWS::SNS::Topic')[0];

  it('is the address that the stage names, by every alarm, of its end too', () => {
    expect(ofType(stage.data, 'AWS::SNS::Subscription').map(({ properties }) => properties)).toMatchObject([
      { Protocol: 'email', Endpoint: 'operations@directory.example' },
    ]);
    for (const { logicalId, properties } of alarms) {
      const actions = properties.AlarmActions as readonly unknown[] | undefined;
      expect(actions, logicalId).toHaveLength(1);
      expect(JSON.stringify(actions), logicalId).toContain(String(topic?.logicalId));
      expect(properties.OKActions, logicalId).toEqual(actions);
    }
  });

  it('is nobody where it names none, and nothing is paid for it', () => {
    expect(ofType(quiet.data, 'AWS::SNS::Topic')).toEqual([]);
    expect(alarmsOf(quiet)).toHaveLength(alarms.length);
    expect(alarmsOf(quiet).some(({ properties }) => 'AlarmActions' in properties)).toBe(false);
  });

  it('hears it encrypted, from alarms of this account, over TLS only', () => {
    const key = ofType(stage.data, 'AWS::KMS::Key').find(({ logicalId }) => logicalId.startsWith('AlarmTopic'));
    expect(targetOf(topic?.properties.KmsMasterKeyId)).toBe(key?.logicalId);
    expect(key?.properties.EnableKeyRotation).toBe(true);
    const policy = JSON.stringify(ofType(stage.data, 'AWS::SNS::TopicPolicy')[0]?.properties);
    expect(policy).toContain('"aws:SecureTransport":"false"');
    for (const statements of [policy, JSON.stringify(key?.properties.KeyPolicy)]) {
      expect(statements).toMatch(/"aws:SourceAccount":\{"Ref":"AWS::AccountId"\}.*"cloudwatch\.amazonaws\.com"/);
    }
    expect(stage.findings).toEqual([]);
  });

  it('can be changed without holding up another stack', () => {
    for (const { text } of [stage.events, stage.api]) expect(text).not.toMatch(/ImportValue":"[^"]*AlarmTopic/);
  });
});
