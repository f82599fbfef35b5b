import { Aws, Duration } from 'aws-cdk-lib';
import { ConcreteWidget, GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/** The period of data points; CloudWatch aggregates longer time ranges. */
export const GRAPH_PERIOD = Duration.minutes(5);

/** Three graphs per row: a dashboard is 24 columns wide. */
export const GRAPH_WIDTH = 8;
const HEIGHT = 6;

/** A graph with a second y-axis on the right for metrics of another magnitude. */
export const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = []): GraphWidget =>
  new GraphWidget({
    title,
    left: [...left],
    right: [...right],
    leftYAxis: { min: 0 },
    rightYAxis: { min: 0 },
    width: GRAPH_WIDTH,
    height: HEIGHT,
  });

/** One metric of several resources that differ in one dimension. */
export interface Series {
  readonly namespace: string;
  readonly metricName: string;
  readonly dimension: string;
  /** The left axis when absent. */
  readonly yAxis?: 'right';
  readonly of: readonly { readonly value: string; readonly label: string }[];
}

/**
 * A graph with the same metrics of several resources. After the first line of a series, only differences are written
 * (`...`), because the dashboard counts towards the template size limit.
 */
export class SeriesGraph extends ConcreteWidget {
  readonly #title: string;
  readonly #statistic: string;
  readonly #series: readonly Series[];

  constructor(title: string, statistic: string, series: readonly Series[]) {
    super(GRAPH_WIDTH, HEIGHT);
    this.#title = title;
    this.#statistic = statistic;
    this.#series = series;
  }

  override toJson(): unknown[] {
    const lines = this.#series.flatMap(({ namespace, metricName, dimension, yAxis, of }) =>
      of.map(({ value, label }, position) => [
        ...(position === 0 ? [namespace, metricName, dimension] : ['...']),
        value,
        { label, ...(yAxis && { yAxis }) },
      ]),
    );
    return [
      {
        type: 'metric',
        width: this.width,
        height: this.height,
        x: this.x,
        y: this.y,
        properties: {
          view: 'timeSeries',
          title: this.#title,
          region: Aws.REGION,
          stat: this.#statistic,
          metrics: lines,
          yAxis: { left: { min: 0 }, right: { min: 0 } },
        },
      },
    ];
  }
}
