import type { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';

export interface TableMetricProps {
  /** As DynamoDB calls it, of those that it counts per operation. */
  readonly metricName: string;
  /** Of the values in one period; the sum when absent. */
  readonly statistic?: 'SUM' | 'AVG' | 'MAX';
  /** A line for each operation; all of them together when absent. */
  readonly perOperation?: true;
  readonly period: Duration;
}

/** What DynamoDB counts about one table, over all operations: those that nothing has happened to yet could not be named. */
export const tableMetric = (table: TableV2, { metricName, statistic, perOperation, period }: TableMetricProps) =>
  new MathExpression({
    expression: [
      `SELECT ${statistic ?? 'SUM'}(${metricName})`,
      'FROM SCHEMA("AWS/DynamoDB", Operation, TableName)',
      `WHERE TableName = '${table.tableName}'`,
      ...(perOperation ? ['GROUP BY Operation'] : []),
    ].join(' '),
    label: perOperation ? '' : metricName,
    period,
  });
