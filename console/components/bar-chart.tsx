import { formatDay, formatNumber, formatPercent } from '../format.ts';
import * as strings from '../strings.ts';

const WIDTH = 600;
const HEIGHT = 120;

/** How a sum differs from that of the days before. */
const changeOf = (total: number, before: number): string => {
  if (before === 0) return strings.chart.noneBefore;
  const change = (total - before) / before;
  return strings.chart.change(`${change > 0 ? '+' : ''}${formatPercent(change)}`, formatNumber(before));
};

/** A small chart of a value per day, with its table behind. For a chart to work with, see Analytics. */
export const BarChart = ({
  label,
  points,
  before,
}: {
  readonly label: string;
  /** UTC days and their values. */
  readonly points: readonly (readonly [day: string, value: number])[];
  /** The sum of as many days before these. */
  readonly before?: number;
}) => {
  const highest = Math.max(0, ...points.map(([, value]) => value));
  const max = Math.max(1, highest);
  const total = points.reduce((sum, [, value]) => sum + value, 0);
  const step = WIDTH / Math.max(1, points.length);
  const [first] = points;
  const last = points.at(-1);
  return (
    <figure className="bar-chart">
      <p className="row apart">
        <span>
          <span className="count-number number">{formatNumber(total)}</span>{' '}
          {before !== undefined && <span className="soft small">{changeOf(total, before)}</span>}
        </span>
        <span className="soft small">{strings.chart.highest(formatNumber(highest))}</span>
      </p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
        <title>{label}</title>
        {points.map(([day, value], at) => (
          <g key={day}>
            <rect className="bar-day" x={at * step} width={step} height={HEIGHT}>
              <title>{`${strings.inUtc(formatDay(day))}: ${formatNumber(value)}`}</title>
            </rect>
            <rect
              pointerEvents="none"
              x={at * step + step * 0.1}
              width={step * 0.8}
              y={HEIGHT - Math.max(1, (value / max) * HEIGHT)}
              height={Math.max(1, (value / max) * HEIGHT)}
            />
          </g>
        ))}
      </svg>
      <p className="row apart soft small">
        <span>{first && strings.inUtc(formatDay(first[0]))}</span>
        <span>{last && strings.inUtc(formatDay(last[0]))}</span>
      </p>
      <details>
        <summary>{strings.chart.table}</summary>
        <table className="table">
          <caption className="visually-hidden">{label}</caption>
          <thead>
            <tr>
              <th>{strings.chart.date}</th>
              <th className="end">{label}</th>
            </tr>
          </thead>
          <tbody>
            {points.toReversed().map(([day, value]) => (
              <tr key={day}>
                <td>{formatDay(day)}</td>
                <td className="end">{formatNumber(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
};
