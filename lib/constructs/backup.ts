import { Duration, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { uniqueName } from '#lib/config/names.ts';
import { removalPolicyFor } from '#lib/config/removal.ts';
import type { Config } from '#lib/config/schema.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import { RunbookAlarm } from './runbook-alarm.ts';

/** Start times in UTC; the monthly backup starts after the daily one of the same night. */
const DAILY = Schedule.cron({ minute: '0', hour: '3' });
const MONTHLY = Schedule.cron({ minute: '0', hour: '5', day: '1' });

/** Maximum delay before a backup starts, and maximum duration. */
const START_WITHIN = Duration.hours(2);
const COMPLETE_WITHIN = Duration.hours(8);

/**
 * The longest regular time between two completed backups: earliest completion of one night to latest completion of the
 * next, plus the current, partial hour, and one because the event of a job is up to five minutes late.
 */
const COMPLETION_HOURS = 24 + START_WITHIN.toHours() + COMPLETE_WITHIN.toHours() + 2;

interface BackupProps {
  readonly config: Config;
  readonly kept: NonNullable<Config['backup']>;
  readonly table: TableV2;
  /** The key of the stage; the AWS managed key for backups when undefined. */
  readonly key: IKey | undefined;
}

/**
 * Backups in addition to point-in-time recovery: they reach back further, outlive the table, and are stored in a vault
 * that roles with write access to the table cannot access. In a protected stage, recovery points cannot be deleted
 * before they expire.
 */
export class Backup extends Construct {
  constructor(scope: Construct, id: string, { config, kept, table, key }: BackupProps) {
    super(scope, id);
    const vault = new BackupVault(this, 'Vault', {
      // A vault cannot change its key, and the retained vault keeps its name: a new key needs a new name.
      backupVaultName: uniqueName(config, ...(key ? ['keyed'] : [])),
      ...(key && { encryptionKey: key }),
      blockRecoveryPointDeletion: config.protect,
      removalPolicy: removalPolicyFor(config),
    });
    const plan = new BackupPlan(this, 'Plan', {
      backupVault: vault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: 'daily',
          scheduleExpression: DAILY,
          startWindow: START_WITHIN,
          completionWindow: COMPLETE_WITHIN,
          deleteAfter: Duration.days(kept.dailyDays),
        }),
        new BackupPlanRule({
          ruleName: 'monthly',
          scheduleExpression: MONTHLY,
          startWindow: START_WITHIN,
          completionWindow: COMPLETE_WITHIN,
          deleteAfter: Duration.days(kept.monthlyDays),
        }),
      ],
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      description: 'Lets AWS Backup copy the table.',
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSBackupServiceRolePolicyForBackup')],
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
      reason: 'AWS maintains this policy along with the service, and only the service can assume the role.',
    });
    plan.addSelection('Table', {
      role,
      disableDefaultBackupPolicy: true,
      resources: [BackupResource.fromDynamoDbTable(table)],
    });
    const failed = new DeadLetterQueue(this, 'Failed', {
      section: 'backup-fails',
      summary: 'A backup of the table failed.',
    });
    this.#jobsIn(vault, ['FAILED', 'EXPIRED', 'ABORTED', 'PARTIAL'], failed);
    const completed = this.#jobsIn(vault, ['COMPLETED'], this.#completedJobs());
    // Failures do not include backups that never start, for example because the plan or the service is disabled.
    new RunbookAlarm(this, 'Missing', {
      section: 'backup-fails',
      summary: 'No backup of the table has completed for more than a day.',
      metric: new Metric({
        namespace: 'AWS/Events',
        metricName: 'Invocations',
        dimensionsMap: { RuleName: completed.ruleName },
        statistic: 'Sum',
        period: Duration.hours(1),
      }),
      threshold: 1,
      periods: COMPLETION_HOURS,
      alarmWhenBelow: true,
    });
  }

  /** The events of completed jobs. Nothing reads them; EventBridge counts invocations of targets only. */
  #completedJobs(): Queue {
    const queue = new Queue(this, 'Completed', {
      retentionPeriod: Duration.days(14),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    Validations.of(queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'Nothing receives its messages, so none can fail.',
    });
    return queue;
  }

  /**
   * Sends the events of the vault's jobs in these states to a queue. The metrics of a rule have one documented dimension,
   * its name; examples of the metrics of AWS Backup disagree on theirs.
   */
  #jobsIn(vault: BackupVault, states: readonly string[], target: Queue): Rule {
    return new Rule(this, `${target.node.id}Jobs`, {
      description: `Backups of the table: ${states.join(', ')}.`,
      eventPattern: {
        source: ['aws.backup'],
        detailType: ['Backup Job State Change'],
        detail: { backupVaultArn: [vault.backupVaultArn], state: [...states] },
      },
      targets: [new SqsQueue(target)],
    });
  }
}
