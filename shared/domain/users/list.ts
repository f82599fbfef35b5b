import type { ReadCatalog } from '#catalog/types.ts';
import type { AdminUser } from '#contract/users.ts';
import { type Paging, pageOf } from '#domain/paging.ts';
import { userView } from './change.ts';
import type { UserRecord } from './user.ts';

/** How many projects somebody has: of every status, without deleted ones. */
const projectCount = (catalog: ReadCatalog, ownerId: string): number =>
  catalog.query({
    scope: { status: 'any', deleted: 'excluded', ownerId },
    filters: { searchIn: 'public' },
    sort: 'newest',
    page: 1,
    limit: 1,
  }).total;

/** The user as administrators see him, with his counts. */
export const adminView = (catalog: ReadCatalog, user: UserRecord): AdminUser => ({
  ...userView(user),
  project_count: projectCount(catalog, user.id),
  comment_count: user.comment_count,
});

/** What listing users takes. */
export interface ListPorts {
  readonly catalog: () => Promise<ReadCatalog>;
  /** All users, newest first, filtered. */
  readonly users: () => Promise<{
    select(filters: {
      role?: UserRecord['role'] | 'banned' | undefined;
      q?: string | undefined;
    }): readonly UserRecord[];
  }>;
}

/** What administrators ask for. */
interface ListQuery extends Paging {
  readonly role?: UserRecord['role'] | 'banned' | undefined;
  readonly q?: string | undefined;
}

/** The administrators' list of users, newest first, with exact counts and totals. */
export const listUsers = async (ports: ListPorts, query: ListQuery) => {
  const [catalog, register] = await Promise.all([ports.catalog(), ports.users()]);
  const { data, meta } = pageOf(register.select(query), query);
  return { data: data.map((user) => adminView(catalog, user)), meta };
};
