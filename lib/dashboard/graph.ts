import { Aws, Duration } from 'aws-cdk-lib';
import { ConcreteWidget, GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/** What one point on a graph stands for; CloudWatch takes more where a longer time is looked at. */
export const GRAPH_PERIOD = Duration.minutes(5);

/** A dashboard is 24 columns wide: three graphs beside each other. */
export const GRAPH_WIDTH = 8;
const HEIGHT = 6;

/** A graph with amounts on the left and, where they are of another size, others on the right. */
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

/** One metric of many things that are told apart by one dimension. */
export interface Series {
  readonly namespace: string;
  readonly metricName: string;
  readonly dimension: string;
  /** On the left when absent. */
  readonly yAxis?: 'right';
  readonly of: readonly { readonly value: string; readonly label: string }[];
}

/**
 * A graph with the same metrics of many things. After the first of a series, lines say only what differs: the page is part of
 * a template, whose size is limited.
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
