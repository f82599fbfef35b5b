import { describe, expect, it } from 'vitest';
import { eventPrefix } from '#data/keys.ts';
import { SOURCE, sourceOf } from '#events/catalogue.ts';
import { jobs } from '#events/jobs.ts';
import { mailFeedback, subscriptions } from '#events/subscriptions.ts';
import { configOf } from '#lib/config.ts';
import { constructIdOf, publisher } from '#lib/handlers.ts';
import { nextDue } from '#model/job.ts';
import { statementsOf } from './statements.ts';
import { named, ofType, synthesize, targetOf } from './synthesized.ts';

const { data, events } = synthesize('dev');
const sandbox = synthesize('branch');

const alarmOn = (queue: string) =>
  ofType(events, 'AWS::CloudWatch::Alarm').find(({ properties }) =>
    (properties.Dimensions as readonly { Name: string; Value: unknown }[]).some(
      ({ Name, Value }) => Name === 'QueueName' && targetOf(Value) === queue,
    ),
  );

describe.each([...subscriptions])('subscription $id', ({ id, kinds }) => {
  const name = constructIdOf(id);
  const target = named(events, 'AWS::Lambda::Function', name);
  const rule = named(events, 'AWS::Events::Rule', `${name}SubscriptionRule`);
  const queue = named(events, 'AWS::SQS::Queue', `${name}SubscriptionDeadLetters`).logicalId;

  it('is invoked by its event kinds from their source, and by what is replayed to it', () => {
    expect(rule.properties.EventPattern).toEqual({
      source: [...new Set(kinds.map(sourceOf)), 'directory.replays'],
      'detail-type': [...kinds, id],
    });
    expect((rule.properties.Targets as readonly { Arn: unknown }[]).map(({ Arn }) => targetOf(Arn))).toEqual([
      target.logicalId,
    ]);
  });

  it('sends failed deliveries and failed runs to its queue', () => {
    const [delivery] = rule.properties.Targets as readonly {
      DeadLetterConfig: { Arn: unknown };
      RetryPolicy: unknown;
    }[];
    expect(targetOf(delivery?.DeadLetterConfig.Arn)).toBe(queue);
    expect(delivery?.RetryPolicy).toEqual({ MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 });
    expect(targetOf((target.properties.DeadLetterConfig as { TargetArn: unknown }).TargetArn)).toBe(queue);
  });

  it('raises an alarm for the first message in its queue', () => {
    expect(alarmOn(queue)?.properties).toMatchObject({
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    });
  });
});

describe.each([...jobs])('job $route.id', ({ route, schedule: expression, ...job }) => {
  const name = constructIdOf(route.id);
  const target = named(events, 'AWS::Lambda::Function', name);
  const schedule = named(events, 'AWS::Scheduler::Schedule', `${name}Schedule`);
  const queue = named(events, 'AWS::SQS::Queue', `${name}ScheduleDeadLetters`).logicalId;
  const start = schedule.properties.Target as Readonly<Record<string, unknown>>;

  it('is invoked by its schedule in UTC, with its id as input', () => {
    expect(schedule.properties).toMatchObject({
      ScheduleExpression: expression,
      ScheduleExpressionTimezone: 'UTC',
      FlexibleTimeWindow:
        'flexibleMinutes' in job ? { Mode: 'FLEXIBLE', MaximumWindowInMinutes: job.flexibleMinutes } : { Mode: 'OFF' },
    });
    expect(targetOf(start.Arn)).toBe(target.logicalId);
    expect(JSON.parse(String(start.Input))).toEqual({ schedule: route.id });
    expect(() => nextDue(expression, Date.now())).not.toThrow();
  });

  it('is invoked by a role that can invoke it and report failures only', () => {
    const statements = statementsOf(events, targetOf(start.RoleArn));
    expect(statements.map(({ Action, Resource }) => [Action, targetOf(Resource)])).toEqual([
      ['lambda:InvokeFunction', target.logicalId],
      ['sqs:SendMessage', queue],
    ]);
  });

  it('sends failed runs to its queue, with an alarm', () => {
    expect(targetOf((start.DeadLetterConfig as { Arn: unknown }).Arn)).toBe(queue);
    expect(start.RetryPolicy).toEqual({ MaximumEventAgeInSeconds: 3600, MaximumRetryAttempts: 10 });
    expect(targetOf((target.properties.DeadLetterConfig as { TargetArn: unknown }).TargetArn)).toBe(queue);
    expect(alarmOn(queue)?.properties).toMatchObject({ Threshold: 1 });
  });
});

describe('the publisher', () => {
  const [mapping] = ofType(events, 'AWS::Lambda::EventSourceMapping');
  const queue = named(events, 'AWS::SQS::Queue', 'PublisherDeadLetters').logicalId;

  it('the publisher is invoked by new outbox items only', () => {
    const criteria = mapping?.properties.FilterCriteria as { Filters: readonly { Pattern: string }[] } | undefined;
    expect(criteria?.Filters.map(({ Pattern }) => JSON.parse(Pattern) as unknown)).toEqual([
      { eventName: ['INSERT'], dynamodb: { Keys: { pk: { S: [{ prefix: eventPrefix }] } } } },
    ]);
    expect(targetOf(mapping?.properties.FunctionName)).toBe(
      named(events, 'AWS::Lambda::Function', constructIdOf(publisher.id)).logicalId,
    );
  });

  it('the publisher starts at the oldest record, retries failed items, bisects batches and reports the rest', () => {
    expect(mapping?.properties).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
    });
    const destination = mapping?.properties.DestinationConfig as { OnFailure: { Destination: unknown } } | undefined;
    expect(targetOf(destination?.OnFailure.Destination)).toBe(queue);
    expect(alarmOn(queue)).toBeDefined();
  });
});

it('the archive stores domain events with the retention of the stage', () => {
  expect(ofType(events, 'AWS::Events::Archive').map(({ properties }) => properties)).toMatchObject([
    {
      SourceArn: { 'Fn::GetAtt': [named(events, 'AWS::Events::EventBus', 'Bus').logicalId, 'Arn'] },
      RetentionDays: configOf('dev').archiveDays,
      EventPattern: { source: [SOURCE] },
    },
  ]);
  expect(ofType(sandbox.events, 'AWS::Events::Archive')).toEqual([]);
});

describe('bounces and complaints', () => {
  const [mailings] = ofType(data, 'AWS::SES::ConfigurationSet');
  /** The name of the configuration set, imported from the data stack. */
  const setName = { 'Fn::ImportValue': expect.stringContaining(`ExportsOutputRef${mailings?.logicalId}`) as string };
  const target = named(events, 'AWS::Lambda::Function', constructIdOf(mailFeedback.id));
  const rule = named(events, 'AWS::Events::Rule', 'MailFeedbackRule');
  const queue = named(events, 'AWS::SQS::Queue', 'MailFeedbackDeadLetters').logicalId;

  it('bounces and complaints are reported by the configuration set of all mail', () => {
    const [destination] = ofType(data, 'AWS::SES::ConfigurationSetEventDestination');
    expect(destination?.properties).toMatchObject({
      ConfigurationSetName: { Ref: mailings?.logicalId },
      EventDestination: { Enabled: true, MatchingEventTypes: ['bounce', 'complaint'] },
    });
    // SES supports the default bus only.
    expect(JSON.stringify(destination?.properties)).toContain(':event-bus/default');
    const senders = ofType(events, 'AWS::Lambda::Function').filter(
      ({ properties }) => 'MAIL_FROM' in (properties.Environment as { Variables: object }).Variables,
    );
    expect(senders.length).toBeGreaterThanOrEqual(4);
    for (const { properties } of senders) {
      const { Variables } = properties.Environment as { Variables: Record<string, unknown> };
      expect(Variables.MAIL_CONFIGURATION_SET).toEqual(setName);
    }
  });

  it('bounces and complaints invoke the function only for mail of this stage', () => {
    expect(rule.properties.EventPattern).toEqual({
      source: ['aws.ses'],
      'detail-type': ['Email Bounced', 'Email Complaint Received'],
      detail: { mail: { tags: { 'ses:configuration-set': [setName] } } },
    });
    expect(rule.properties).not.toHaveProperty('EventBusName');
    expect((rule.properties.Targets as readonly { Arn: unknown }[]).map(({ Arn }) => targetOf(Arn))).toEqual([
      target.logicalId,
    ]);
  });

  it('bounces and complaints end in a queue with an alarm when they cannot be recorded', () => {
    const [delivery] = rule.properties.Targets as readonly { DeadLetterConfig: { Arn: unknown } }[];
    expect(targetOf(delivery?.DeadLetterConfig.Arn)).toBe(queue);
    expect(targetOf((target.properties.DeadLetterConfig as { TargetArn: unknown }).TargetArn)).toBe(queue);
    expect(alarmOn(queue)?.properties).toMatchObject({ Threshold: 1 });
  });
});

it.each(ofType(events, 'AWS::SQS::Queue'))(
  '$logicalId is encrypted and keeps messages for two weeks',
  ({ properties }) => {
    expect(properties).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 });
  },
);

it('the sender is created by the stage if configured', () => {
  expect(ofType(data, 'AWS::SES::EmailIdentity').map(({ properties }) => properties.EmailIdentity)).toEqual([
    configOf('dev').mail.identity,
  ]);
  expect(ofType(sandbox.data, 'AWS::SES::EmailIdentity')).toEqual([]);
});
