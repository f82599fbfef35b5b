import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { AnalyticsReport, GroupBy } from '#contract/analytics.ts';
import { client, dataOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { isOn } from '../../app/session.ts';
import { useHref, useUrl } from '../../app/url.ts';
import { Button } from '../../components/button.tsx';
import { download } from '../../components/download.ts';
import { DayFields, SelectField } from '../../components/fields.tsx';
import { later, separate } from '../../components/lazy.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Loaded } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { utcDayOf } from '../../days.ts';
import { formatDay, formatNumber, words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { countryName } from './countries.ts';
import { Funnel, Ranking, Total } from './parts.tsx';
import { type Days, datesOf, daysOf, presets, previousOf } from './range.ts';
import { reportCsv } from './report-csv.ts';
import { text } from './strings.ts';

const LineChart = separate(
  async () => (await import('../../components/line-chart.tsx')).LineChart,
  <div className="line-chart" />,
);
const CountryMap = separate(
  async () => (await import('./country-map.tsx')).CountryMap,
  <div className="country-map" />,
);

const Searches = later(async () => (await import('./searches.tsx')).Searches);
const ExportSearches = later(async () => (await import('./searches.tsx')).ExportSearches, null);

const useReport = (query: Days & { readonly groupBy: GroupBy }, isEnabled = true) =>
  useResource(['analytics', query], (signal) => dataOf(client.analytics.report({ query, signal })), {
    poll: true,
    isEnabled,
  });

/** The range, which the tabs share. */
const Filters = ({
  dates,
  days,
  children,
}: {
  readonly dates: { readonly from: string; readonly to: string } | undefined;
  readonly days: Days;
  readonly children: ReactNode;
}) => {
  const [, setUrl] = useUrl();
  const setDay = (name: 'from' | 'to', day: string) => {
    if (!dates || day === '') return;
    setUrl({ range: undefined, page: undefined, from: dates.from, to: dates.to, [name]: day });
  };
  return (
    <div className="filter-bar">
      <span className="row">
        {presets.map((range) => (
          <Button
            key={range}
            isPressed={'range' in days && days.range === range}
            onClick={() => setUrl({ range, page: undefined, from: undefined, to: undefined })}
          >
            {text.presets[range]}
          </Button>
        ))}
      </span>
      <DayFields isUtc from={dates?.from ?? ''} to={dates?.to ?? ''} onChange={setDay} />
      {children}
    </div>
  );
};

const Traffic = ({
  report,
  before,
}: {
  readonly report: AnalyticsReport;
  readonly before: AnalyticsReport | undefined;
}) => {
  const [, setUrl] = useUrl();
  const { traffic } = report;
  return (
    <section className="card stack tight">
      <h2>{text.traffic}</h2>
      <p className="soft small">{text.brush}</p>
      <LineChart
        label={text.traffic}
        days={traffic.map(({ date }) => date)}
        lines={[
          { label: text.pageviews, color: '--accent', values: traffic.map(({ pageviews }) => pageviews) },
          { label: text.visitors, color: '--good', values: traffic.map(({ visitors }) => visitors) },
          {
            label: text.viewsBefore,
            color: '--soft',
            isDashed: true,
            values: traffic.map((_, at) => before?.traffic[at]?.pageviews ?? null),
          },
        ]}
        onBrush={(from, to) => setUrl({ range: undefined, from, to })}
      />
      <details>
        <summary className="soft small">{strings.chart.table}</summary>
        <table className="table">
          <caption className="visually-hidden">{text.traffic}</caption>
          <thead>
            <tr>
              <th>{strings.chart.date}</th>
              <th className="end">{text.pageviews}</th>
              <th className="end">{text.visitors}</th>
              <th className="end">{text.submissions}</th>
              {before && <th className="end">{text.viewsBefore}</th>}
            </tr>
          </thead>
          <tbody>
            {traffic.map(({ date, pageviews, visitors, submissions }, at) => (
              <tr key={date}>
                <td>{formatDay(date)}</td>
                <td className="end">{formatNumber(pageviews)}</td>
                <td className="end">{formatNumber(visitors)}</td>
                <td className="end">{formatNumber(submissions)}</td>
                {before && <td className="end">{formatNumber(before.traffic[at]?.pageviews ?? 0)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
};

const named = (list: AnalyticsReport['countries'], nameOf = (name: string) => name) =>
  list.map(({ name, count }) => ({ id: name, name: nameOf(name), count }));

const Report = ({
  report,
  before,
}: {
  readonly report: AnalyticsReport;
  readonly before: AnalyticsReport | undefined;
}) => (
  <div className="stack">
    <ul className="counts">
      {(['visitors', 'pageviews', 'project_views', 'outbound_clicks'] as const).map((name) => (
        <Total key={name} label={text[name]} count={report.totals[name]} before={before?.totals[name]} />
      ))}
    </ul>
    <Traffic report={report} before={before} />
    <div className="grid">
      <Funnel funnel={report.funnel} />
      <Ranking
        title={text.topListings}
        unit={text.views}
        entries={report.top_projects.map(({ id, name, views }) => ({
          id,
          name: <Link href={`/listings?open=${id}`}>{name}</Link>,
          count: views,
        }))}
      />
      <Ranking title={text.referrers} unit={text.views} entries={named(report.referrers)} />
    </div>
    <Ranking title={text.countries} unit={text.views} entries={named(report.countries, countryName)}>
      <CountryMap label={text.map} counts={new Map(report.countries.map(({ name, count }) => [name, count]))} />
    </Ranking>
    <div className="grid">
      <Ranking title={text.browsers} unit={text.views} entries={named(report.browsers)} />
      <Ranking title={text.devices} unit={text.views} entries={named(report.devices, words)} />
    </div>
  </div>
);

const TrafficTab = ({ days }: { readonly days: Days }) => {
  const [url, setUrl] = useUrl();
  const asked = url.get('groupBy');
  const groupBy: GroupBy = asked === 'week' || asked === 'month' ? asked : 'day';
  const query = useReport({ ...days, groupBy });
  const report = query.data;
  const isComparable = report !== undefined && report.range !== 'all';
  const before = useReport(
    { ...previousOf(report ?? { from: '2026-01-01', to: '2026-01-01' }), groupBy },
    isComparable,
  );
  return (
    <>
      <Filters dates={report} days={days}>
        <SelectField
          name="groupBy"
          label={text.groupBy}
          value={groupBy}
          options={(['day', 'week', 'month'] as const).map((one) => [one, words(one)])}
          onChange={(one) => setUrl({ groupBy: one === 'day' ? undefined : one })}
        />
        <span className="push">
          <Button
            isDisabled={!report}
            onClick={() =>
              report &&
              void download(new Blob([reportCsv(report)]).stream(), `analytics-${report.from}-${report.to}.csv`)
            }
          >
            {strings.actions.export}
          </Button>
        </span>
      </Filters>
      <Loaded query={query}>
        {(current) => <Report report={current} before={isComparable ? before.data : undefined} />}
      </Loaded>
    </>
  );
};

const SearchesTab = ({ days }: { readonly days: Days }) => {
  const dates = datesOf(days, utcDayOf(Date.now()));
  return (
    <>
      <Filters dates={dates} days={days}>
        <span className="push">
          <ExportSearches days={days} file={`searches-${dates.from}-${dates.to}.csv`} />
        </span>
      </Filters>
      <Searches days={days} />
    </>
  );
};

export const Page = () => {
  const [url] = useUrl();
  const href = useHref();
  const days = daysOf(url);
  const tab = url.get('tab') === 'searches' && isOn('search') ? 'searches' : 'traffic';
  const others = { only: undefined, search: undefined, page: undefined };
  return (
    <>
      <PageHeader title="Analytics" />
      {isOn('search') && (
        <div className="lead">
          <Tabs
            label={text.parts}
            tabs={Object.entries(text.tabs) as [keyof typeof text.tabs, string][]}
            current={tab}
            hrefOf={(id) => href({ ...others, tab: id === 'traffic' ? undefined : id })}
          />
        </div>
      )}
      {tab === 'searches' ? <SearchesTab days={days} /> : <TrafficTab days={days} />}
    </>
  );
};
