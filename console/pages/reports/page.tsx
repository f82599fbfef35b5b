import type { ReportGroup, ReportStatus } from '#contract/reports.ts';
import { bodyOf, client } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { useUrl } from '../../app/url.ts';
import { SelectField } from '../../components/fields.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Pagination } from '../../components/pagination.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { useCursor } from '../../components/use-cursor.ts';
import * as strings from '../../strings.ts';
import { ReportedListing } from './reported-listing.tsx';

const filters = ['open', 'resolved', 'dismissed', 'all'] as const satisfies readonly (ReportStatus | 'all')[];

/** Fewer than usual: each listing has its reports and a form. */
const GROUPS_PER_PAGE = 20;

export const Page = () => {
  const [parameters, change] = useUrl();
  const status = filters.find((one) => one === parameters.get('status')) ?? 'open';
  const query = { status, page: Number(parameters.get('page') ?? 1), limit: GROUPS_PER_PAGE };
  const groups = useResource(
    ['reports', 'groups', query],
    async (signal) => {
      const { data, meta } = await bodyOf(client.reports.list({ query: { ...query, group: 'project' }, signal }));
      // The type of the response does not depend on `group`.
      return { data: data as readonly ReportGroup[], meta };
    },
    { poll: true },
  );
  const { list, isCurrent } = useCursor(groups.data?.data ?? [], ({ project }) => project.id, {
    r: {
      label: strings.reports.focusNote,
      run: () => list.current?.querySelector<HTMLElement>('[data-cursor="true"] textarea')?.focus(),
    },
  });
  return (
    <>
      <PageHeader title="Reports" />
      <div className="filter-bar">
        <SelectField
          name="status"
          label={strings.reports.filter}
          value={status}
          options={filters.map((one) => [one, strings.reports.filters[one]])}
          onChange={(next) => change({ status: next === 'open' ? undefined : next, page: undefined })}
        />
      </div>
      <Loaded query={groups}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <EmptyState title={strings.reports.empty}>
              <p>{strings.reports.emptyText}</p>
            </EmptyState>
          ) : (
            <>
              <ul className="card rows" ref={list} aria-label={strings.reports.list}>
                {data.map((group) => (
                  <li key={group.project.id} data-cursor={isCurrent(group)}>
                    <ReportedListing group={group} />
                  </li>
                ))}
              </ul>
              <Pagination meta={meta} onPage={(page) => change({ page: page === 1 ? undefined : page })} />
            </>
          )
        }
      </Loaded>
    </>
  );
};
