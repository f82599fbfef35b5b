import { Aws, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct, type IConstruct } from 'constructs';
import { alarmTopicParameter } from '#lib/config/parameters.ts';
import type { Config } from '#lib/config/schema.ts';
import { RunbookAlarm } from './runbook-alarm.ts';
import { SsmReference } from './ssm-reference.ts';

/** Restricts CloudWatch to alarms of this account and region. */
const SAME_ACCOUNT_ALARMS = {
  StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
  ArnLike: { 'aws:SourceArn': `arn:${Aws.PARTITION}:cloudwatch:${Aws.REGION}:${Aws.ACCOUNT_ID}:alarm:*` },
};

/**
 * An SNS topic that sends alarms to one address, once its subscription is confirmed. It has a customer-managed key
 * because CloudWatch cannot publish with the AWS managed key of SNS.
 */
export class AlarmTopic extends Construct {
  readonly #topic: Topic;
  readonly #followedArn: SsmReference;

  constructor(scope: Construct, id: string, config: Config, email: string) {
    super(scope, id);
    const cloudWatch = new ServicePrincipal('cloudwatch.amazonaws.com');
    const key = new Key(this, 'Key', {
      description: 'Encrypts alarm notifications.',
      enableKeyRotation: true,
      // The key encrypts messages in transit only.
      removalPolicy: RemovalPolicy.DESTROY,
      pendingWindow: Duration.days(7),
    });
    key.addToResourcePolicy(
      new PolicyStatement({
        principals: [cloudWatch],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        // In a key policy, `*` is the key itself.
        resources: ['*'],
        conditions: SAME_ACCOUNT_ALARMS,
      }),
    );
    this.#topic = new Topic(this, 'Topic', { displayName: 'Directory alarms', masterKey: key, enforceSSL: true });
    this.#topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [cloudWatch],
        actions: ['sns:Publish'],
        resources: [this.#topic.topicArn],
        conditions: SAME_ACCOUNT_ALARMS,
      }),
    );
    this.#topic.addSubscription(new EmailSubscription(email));
    this.#followedArn = new SsmReference(scope, `${id}Arn`, alarmTopicParameter(config), this.#topic.topicArn);
  }

  /** Notifies the topic when an alarm below these constructs starts or ends. */
  subscribeAlarmsOf(...scopes: readonly IConstruct[]): void {
    for (const alarm of scopes.flatMap((scope) => scope.node.findAll())) {
      if (!(alarm instanceof RunbookAlarm)) continue;
      const alarmActionArn = this.#arnFor(alarm);
      alarm.addAlarmAction({ bind: () => ({ alarmActionArn }) });
      alarm.addOkAction({ bind: () => ({ alarmActionArn }) });
    }
  }

  /** A nested stack receives the parameter of its parent. */
  #arnFor(alarm: IConstruct): string {
    const { nestedStackParent: stack = Stack.of(alarm) } = Stack.of(alarm);
    return stack === Stack.of(this) ? this.#topic.topicArn : this.#followedArn.readIn(stack);
  }
}
