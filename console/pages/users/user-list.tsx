import { Link } from 'wouter';
import type { AdminUser } from '#contract/users.ts';
import { bodyOf, client } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { isOn } from '../../app/session.ts';
import { useAddress, useUrl } from '../../app/url.ts';
import { SelectField } from '../../components/fields.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import { SearchField } from '../../components/search-field.tsx';
import type { Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { userName } from '../../components/user-link.tsx';
import { formatNumber } from '../../format.ts';
import * as strings from '../../strings.ts';
import { UserBadges } from './user-badges.tsx';

type Filter = keyof typeof strings.users.filters;

const filters = Object.keys(strings.users.filters) as Filter[];

const columnsFor = (address: (id: string) => string): readonly Column<AdminUser>[] => [
  {
    id: 'name',
    label: strings.users.columns.name,
    kind: 'main',
    cell: (user) => (
      <>
        <Link href={address(user.id)} className="truncate block">
          <bdi>{userName(user)}</bdi>
        </Link>
        {user.name !== null && user.email !== null && <span className="soft small truncate block">{user.email}</span>}
      </>
    ),
  },
  { id: 'role', label: strings.users.columns.role, cell: (user) => <UserBadges user={user} /> },
  {
    id: 'listings',
    label: strings.users.columns.listings,
    kind: 'end minor',
    cell: ({ project_count }) => formatNumber(project_count),
  },
  {
    id: 'comments',
    label: strings.users.columns.comments,
    feature: 'comments',
    kind: 'end minor',
    cell: ({ comment_count }) => formatNumber(comment_count),
  },
  {
    id: 'joined',
    label: strings.users.columns.joined,
    kind: 'minor',
    cell: ({ joined_at }) => <Time at={joined_at} isAge />,
  },
];

/** All users with search, filter and pages. */
export const UserList = () => {
  const [parameters, change] = useUrl();
  const address = useAddress();
  const q = parameters.get('q') ?? '';
  const filter = filters.find((one) => one === parameters.get('role')) ?? 'all';
  const query = {
    q,
    page: Number(parameters.get('page') ?? 1),
    ...(filter !== 'all' && { role: filter }),
  };
  const users = useResource(['users', 'list', query], (signal) => bodyOf(client.users.list({ query, signal })), {
    poll: true,
  });
  return (
    <>
      <div className="filter-bar">
        <SearchField value={q} onSearch={(text) => change({ q: text, page: undefined }, { replace: true })} />
        <SelectField
          name="role"
          label={strings.users.filter}
          value={filter}
          options={filters.map((one) => [one, strings.users.filters[one]])}
          onChange={(role) => change({ role: role === 'all' ? undefined : role, page: undefined })}
        />
      </div>
      <PagedTable
        query={users}
        empty={strings.users.empty}
        emptyText={strings.users.emptyText}
        label={strings.users.list}
        columns={columnsFor((id) => address({ open: id })).filter(({ feature }) => isOn(feature))}
        idOf={({ id }) => id}
        nameOf={userName}
        onOpen={({ id }) => change({ open: id })}
      />
    </>
  );
};
