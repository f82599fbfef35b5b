// The visits of an own listing over time.

import { useEffect, useState } from 'preact/hooks';
import type { AnalyticsReport } from '#contract/analytics.ts';
import { Problem, useAction } from './action.tsx';
import { request } from './api.ts';
import { t } from './messages.ts';

const { lang } = document.documentElement;
const number = new Intl.NumberFormat(lang);
const days = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeZone: 'UTC' });
const months = new Intl.DateTimeFormat(lang, { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The ranges, each with the period of one bar. */
const ranges = { '30d': 'day', '90d': 'week', all: 'month' } as const;
type Range = keyof typeof ranges;

const WIDTH = 600;
const HEIGHT = 120;
const GAP_SHARE = 0.2;
const REFERRERS = 5;

const periodOf = (range: Range, date: string): string =>
  (range === 'all' ? months : days).format(new Date(`${date}T00:00:00Z`));

/** Bars of the views; the table has the same numbers for all who do not see them. */
const Bars = ({ traffic }: { readonly traffic: AnalyticsReport['traffic'] }) => {
  const most = Math.max(1, ...traffic.map(({ pageviews }) => pageviews));
  const step = WIDTH / traffic.length;
  return (
    <svg class="bars" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {traffic.map(({ date, pageviews }, index) => {
        const height = (pageviews / most) * HEIGHT;
        return (
          <rect
            key={date}
            x={(index + GAP_SHARE / 2) * step}
            y={HEIGHT - height}
            width={step * (1 - GAP_SHARE)}
            height={height}
          />
        );
      })}
    </svg>
  );
};

const Report = ({ range, report }: { readonly range: Range; readonly report: AnalyticsReport }) => {
  const { totals, traffic, referrers } = report;
  return (
    <>
      <p class="row-meta">
        <span>{t('me.views', { count: number.format(totals.project_views) })}</span>
        <span>{t('me.statistics.visitors', { count: number.format(totals.visitors) })}</span>
        <span>{t('me.statistics.clicks', { count: number.format(totals.outbound_clicks) })}</span>
      </p>
      <Bars traffic={traffic} />
      {referrers.length > 0 && (
        <p class="soft">
          {t('me.statistics.referrers')}{' '}
          {referrers
            .slice(0, REFERRERS)
            .map(({ name, count }) => `${name} (${number.format(count)})`)
            .join(', ')}
        </p>
      )}
      <details>
        <summary>{t('me.statistics.table')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by keyboard. */}
        <section class="table-frame" aria-label={t('me.statistics.table')} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t(`me.statistics.${ranges[range]}`)}</th>
                <th scope="col">{t('me.statistics.views')}</th>
                <th scope="col">{t('me.statistics.people')}</th>
              </tr>
            </thead>
            <tbody>
              {traffic.toReversed().map(({ date, pageviews, visitors }) => (
                <tr key={date}>
                  <th scope="row">{periodOf(range, date)}</th>
                  <td>{number.format(pageviews)}</td>
                  <td>{number.format(visitors)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </>
  );
};

const Shown = ({ id }: { readonly id: string }) => {
  const [range, setRange] = useState<Range>('30d');
  const [read, setRead] = useState<{ readonly range: Range; readonly report: AnalyticsReport }>();
  const { isRunning, problem, run } = useAction();
  useEffect(
    () =>
      void run(async () => {
        const query = new URLSearchParams({ range, groupBy: ranges[range] });
        const path = `/analytics/projects/${encodeURIComponent(id)}?${query.toString()}`;
        setRead({ range, report: await request<AnalyticsReport>('GET', path) });
      }),
    [range],
  );
  return (
    <>
      <p class="field">
        <label for={`range-${id}`}>{t('me.statistics.range')}</label>
        <select
          id={`range-${id}`}
          value={range}
          disabled={isRunning}
          onChange={({ currentTarget }) => setRange(currentTarget.value as Range)}
        >
          {(Object.keys(ranges) as Range[]).map((one) => (
            <option key={one} value={one}>
              {t(`me.statistics.range.${one}`)}
            </option>
          ))}
        </select>
      </p>
      <Problem error={problem} />
      {read && <Report {...read} />}
    </>
  );
};

/** Read when they are opened. */
export const Statistics = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class="statistics"
      onToggle={({ currentTarget, target }) => currentTarget === target && setOpen(isOpen || currentTarget.open)}
    >
      <summary aria-label={t('me.statistics.of', { name })}>{t('me.statistics')}</summary>
      {isOpen && <Shown id={id} />}
    </details>
  );
};
