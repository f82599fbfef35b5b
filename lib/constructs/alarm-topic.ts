import { Aws, CrossStackReferences, Duration, ReferenceStrength, RemovalPolicy } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct, type IConstruct } from 'constructs';
import { RunbookAlarm } from './runbook-alarm.ts';

/** Alarms of this account and region, and nobody else's, may speak through the topic. */
const FROM_HERE = {
  StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
  ArnLike: { 'aws:SourceArn': `arn:${Aws.PARTITION}:cloudwatch:${Aws.REGION}:${Aws.ACCOUNT_ID}:alarm:*` },
};

/**
 * Where alarms are sent: by mail to one address, once its owner has clicked in the first mail. It is encrypted with a key of
 * its own, because CloudWatch may not use the one that SNS has for everybody.
 */
export class AlarmTopic extends Construct {
  readonly #topic: Topic;

  constructor(scope: Construct, id: string, email: string) {
    super(scope, id);
    const cloudWatch = new ServicePrincipal('cloudwatch.amazonaws.com');
    const key = new Key(this, 'Key', {
      description: 'What alarms say on their way to the mail.',
      enableKeyRotation: true,
      // Nothing is kept that it would be needed for.
      removalPolicy: RemovalPolicy.DESTROY,
      pendingWindow: Duration.days(7),
    });
    key.addToResourcePolicy(
      new PolicyStatement({
        principals: [cloudWatch],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        // In the policy of a key, this is the key.
        resources: ['*'],
        conditions: FROM_HERE,
      }),
    );
    this.#topic = new Topic(this, 'Topic', { displayName: 'Directory alarms', masterKey: key, enforceSSL: true });
    this.#topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [cloudWatch],
        actions: ['sns:Publish'],
        resources: [this.#topic.topicArn],
        conditions: FROM_HERE,
      }),
    );
    this.#topic.addSubscription(new EmailSubscription(email));
    // A stage that no longer names an address must be able to take the topic away before its other stacks are told.
    CrossStackReferences.of(this.#topic).produce(ReferenceStrength.WEAK);
  }

  /** Sends every alarm below these constructs, and its end, through the topic. */
  listenTo(...scopes: readonly IConstruct[]): void {
    const action = new SnsAction(this.#topic);
    for (const alarm of scopes.flatMap((scope) => scope.node.findAll())) {
      if (!(alarm instanceof RunbookAlarm)) continue;
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
    }
  }
}
