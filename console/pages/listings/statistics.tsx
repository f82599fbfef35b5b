import { client, dataOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { BarChart } from '../../components/bar-chart.tsx';
import { Loaded } from '../../components/states.tsx';
import { formatNumber, words } from '../../format.ts';
import { statistics } from './strings.ts';

/** Visits of a listing in the last 30 days. */
export const Statistics = ({ project }: { readonly project: string }) => {
  const report = useResource(['analytics', project], (signal) =>
    dataOf(client.analytics.projectReport({ params: { project }, query: { range: '30d' }, signal })),
  );
  return (
    <Loaded query={report}>
      {({ traffic, totals, referrers, countries }) => (
        <div className="stack">
          <ul className="counts">
            {Object.entries(totals).map(([name, count]) => (
              <li key={name} className="count-card card">
                <span className="count-number number">{formatNumber(count)}</span>
                <span>{words(name)}</span>
              </li>
            ))}
          </ul>
          <section className="card">
            <h2>{statistics.visitors}</h2>
            <BarChart label={statistics.visitors} points={traffic.map((day) => [day.date, day.visitors])} />
          </section>
          <div className="grid">
            {(
              [
                ['referrers', referrers],
                ['countries', countries],
              ] as const
            ).map(([name, rows]) => (
              <section key={name} className="card">
                <h2>{words(name)}</h2>
                {rows.length === 0 && <p className="soft">{statistics.none}</p>}
                <dl className="facts">
                  {rows.map((row) => (
                    <div key={row.name} className="contents">
                      <dt>{row.name}</dt>
                      <dd className="number">{formatNumber(row.count)}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
          </div>
        </div>
      )}
    </Loaded>
  );
};
