import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { Config } from '../config.ts';
import { RunbookAlarm } from './runbook-alarm.ts';

/** When backups begin, in UTC: at night, and on the first of a month after the daily one. */
const DAILY = Schedule.cron({ minute: '0', hour: '3' });
const MONTHLY = Schedule.cron({ minute: '0', hour: '5', day: '1' });

/** How long a backup may wait for its turn and take. */
const START_WITHIN = Duration.hours(2);
const COMPLETE_WITHIN = Duration.hours(8);

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
      ...(key && { encryptionKey: key }),
      blockRecoveryPointDeletion: config.protect,
      removalPolicy: config.retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
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
    new RunbookAlarm(this, 'Fails', {
      section: 'backup-fails',
      says: 'A backup of the table was not made.',
      metric: new Metric({
        namespace: 'AWS/Backup',
        metricName: 'NumberOfBackupJobsFailed',
        dimensionsMap: { BackupVaultName: vault.backupVaultName },
        statistic: 'Sum',
        period: Duration.hours(1),
      }),
      threshold: 1,
    });
  }
}
