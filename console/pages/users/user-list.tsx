import { Link } from 'wouter';
import type { AdminUser } from '#contract/users.ts';
import { bodyOf, client } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { isOn } from '../../app/session.ts';
import { useHref, useUrl } from '../../app/url.ts';
import { SelectField } from '../../components/fields.tsx';
import { Logo } from '../../components/logo.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import { SearchField } from '../../components/search-field.tsx';
import type { Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { userName } from '../../components/user-link.tsx';
import { formatNumber } from '../../format.ts';
import { text } from './strings.ts';
import { UserBadges } from './user-badges.tsx';

type Filter = keyof typeof text.filters;

const filters = Object.keys(text.filters) as Filter[];

const columnsFor = (hrefOf: (id: string) => string): readonly Column<AdminUser>[] => [
  {
    id: 'name',
    label: text.columns.name,
    kind: 'main',
    cell: (user) => (
      <span className="listing-name">
        <Logo url={null} name={userName(user)} />
        <span className="listing-name-text">
          <Link href={hrefOf(user.id)} className="truncate">
            <bdi>{userName(user)}</bdi>
          </Link>
          {user.name !== null && user.email !== null && <span className="soft small truncate">{user.email}</span>}
        </span>
      </span>
    ),
  },
  { id: 'role', label: text.columns.role, cell: (user) => <UserBadges user={user} /> },
  {
    id: 'listings',
    label: text.columns.listings,
    kind: 'end minor',
    cell: ({ id, project_count }) =>
      project_count === 0 ? (
        '0'
      ) : (
        <Link href={`/listings?owner=${encodeURIComponent(id)}`}>{formatNumber(project_count)}</Link>
      ),
  },
  {
    id: 'comments',
    label: text.columns.comments,
    feature: 'comments',
    kind: 'end minor',
    cell: ({ comment_count }) => formatNumber(comment_count),
  },
  {
    id: 'banned',
    label: text.columns.banned,
    kind: 'minor',
    cell: ({ ban_expires_at }) => ban_expires_at && <Time at={ban_expires_at} isDay />,
  },
  {
    id: 'joined',
    label: text.columns.joined,
    kind: 'minor',
    cell: ({ joined_at }) => <Time at={joined_at} isAge />,
  },
];

/** All users with search, filter and pages. */
export const UserList = () => {
  const [parameters, change] = useUrl();
  const hrefWith = useHref();
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
        <SearchField value={q} onSearch={(next) => change({ q: next, page: undefined }, { replace: true })} />
        <SelectField
          name="role"
          label={text.filter}
          value={filter}
          options={filters.map((one) => [one, text.filters[one]])}
          onChange={(role) => change({ role: role === 'all' ? undefined : role, page: undefined })}
        />
      </div>
      <PagedTable
        query={users}
        empty={text.empty}
        emptyText={text.emptyText}
        label={text.list}
        columns={columnsFor((id) => hrefWith({ open: id })).filter(({ feature }) => isOn(feature))}
        idOf={({ id }) => id}
        nameOf={userName}
        onOpen={({ id }) => change({ open: id })}
      />
    </>
  );
};
