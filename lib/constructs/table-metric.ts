import type { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';

export interface TableMetricProps {
  /** A DynamoDB metric with an Operation dimension. */
  readonly metricName: string;
  /** The statistic per period; `SUM` when absent. */
  readonly statistic?: 'SUM' | 'AVG' | 'MAX';
  /** One series per operation; all operations combined when absent. */
  readonly perOperation?: true;
  readonly period: Duration;
}

/** A metric of the table over all operations, by a query: operations without data points cannot be enumerated. */
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
