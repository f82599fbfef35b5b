import { Duration, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { Config } from '../config.ts';
import { nameOfItsOwn } from './addresses.ts';
import { removalOf } from './removal.ts';
import { RunbookAlarm } from './runbook-alarm.ts';

/** When backups begin, in UTC: at night, and on the first of a month after the daily one. */
const DAILY = Schedule.cron({ minute: '0', hour: '3' });
const MONTHLY = Schedule.cron({ minute: '0', hour: '5', day: '1' });

/** How long a backup may wait for its turn and take. */
const START_WITHIN = Duration.hours(2);
const COMPLETE_WITHIN = Duration.hours(8);

/** From the quickest backup of one night to the slowest of the next, and the hour that has only just begun. */
const SILENT_HOURS = 24 + START_WITHIN.toHours() + COMPLETE_WITHIN.toHours() + 1;

export interface BackupProps {
  readonly config: Config;
  readonly kept: NonNullable<Config['backup']>;
  readonly table: TableV2;
  /** The stage's own key; the account's for backups when undefined. */
  readonly key: IKey | undefined;
}

/**
 * Backups beside the point-in-time recovery: they reach back further, outlive the table, and stand in a vault that whoever
 * may write the table cannot reach. In a protected stage nobody can delete one before its time.
 */
export class Backup extends Construct {
  constructor(scope: Construct, id: string, { config, kept, table, key }: BackupProps) {
    super(scope, id);
    const vault = new BackupVault(this, 'Vault', {
      // Another key is another vault, which the one before, being kept, must not stand in the way of.
      backupVaultName: nameOfItsOwn(config, ...(key ? ['keyed'] : [])),
      ...(key && { encryptionKey: key }),
      blockRecoveryPointDeletion: config.protect,
      removalPolicy: removalOf(config),
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
      reason:
        'What the service needs for a backup changes with the service, which keeps this policy; nobody else takes the role.',
    });
    plan.addSelection('Table', {
      role,
      disableDefaultBackupPolicy: true,
      resources: [BackupResource.fromDynamoDbTable(table)],
    });
    const jobs = (metricName: string): Metric =>
      new Metric({
        namespace: 'AWS/Backup',
        metricName,
        dimensionsMap: { BackupVaultName: vault.backupVaultName },
        statistic: 'Sum',
        period: Duration.hours(1),
      });
    new RunbookAlarm(this, 'Fails', {
      section: 'backup-fails',
      says: 'A backup of the table was not made.',
      metric: jobs('NumberOfBackupJobsFailed'),
      threshold: 1,
    });
    // What was never begun has not failed: the service is switched off, or the plan is gone.
    new RunbookAlarm(this, 'Missing', {
      section: 'backup-fails',
      says: 'No backup of the table was completed for longer than a day and a night.',
      metric: jobs('NumberOfBackupJobsCompleted'),
      threshold: 1,
      periods: SILENT_HOURS,
      silence: true,
    });
  }
}
