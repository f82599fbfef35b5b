import type { ReactNode } from 'react';
import type { AnalyticsReport } from '#contract/analytics.ts';
import { formatNumber, formatPercent } from '../../format.ts';
import { text } from './strings.ts';

/** A number, and how it differs from the one before. */
export const Total = ({
  label,
  count,
  before,
}: {
  readonly label: string;
  readonly count: number;
  readonly before: number | undefined;
}) => (
  <li className="card">
    <span className="soft">{label}</span>
    <p className="count-number number">{formatNumber(count)}</p>
    <p className="soft small">
      {before === undefined && text.noComparison}
      {before !== undefined && before > 0 && text.change((count - before) / before, formatNumber(before))}
      {before === 0 && text.before(formatNumber(before))}
    </p>
  </li>
);

interface Entry {
  readonly id: string;
  readonly name: ReactNode;
  readonly count: number;
}

/** Names with their numbers, and a bar for the share of the largest. */
export const Ranking = ({
  title,
  unit,
  entries,
  children,
}: {
  readonly title: string;
  readonly unit: string;
  readonly entries: readonly Entry[];
  readonly children?: ReactNode;
}) => {
  const max = Math.max(1, ...entries.map(({ count }) => count));
  return (
    <section className="card stack tight">
      <h2>{title}</h2>
      {children}
      {entries.length === 0 ? (
        <p className="soft">{text.nothing}</p>
      ) : (
        <table className="table ranking">
          <caption className="visually-hidden">{title}</caption>
          <thead>
            <tr>
              <th>{text.name}</th>
              <th className="end">{unit}</th>
            </tr>
          </thead>
          <tbody>
            {entries.map(({ id, name, count }) => (
              <tr key={id}>
                <td>
                  <span className="bar" style={{ width: `${(count / max) * 100}%` }} aria-hidden />
                  <span className="bar-text" dir="auto">
                    {name}
                  </span>
                </td>
                <td className="end">{formatNumber(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
};

const steps = ['visitors', 'submission_started', 'submitted', 'approved', 'paid'] as const;

export const Funnel = ({ funnel }: { readonly funnel: AnalyticsReport['funnel'] }) => (
  <Ranking
    title={text.funnel}
    unit={text.count}
    entries={steps.map((step, at) => {
      const before = steps[at - 1];
      const share = before === undefined || funnel[before] === 0 ? undefined : funnel[step] / funnel[before];
      const name = text.steps[step];
      return {
        id: step,
        name: share === undefined ? name : text.ofBefore(name, formatPercent(share)),
        count: funnel[step],
      };
    })}
  >
    <p className="soft">{text.conversion(formatPercent(funnel.conversion))}</p>
  </Ranking>
);
