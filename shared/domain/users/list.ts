import type { ReadCatalog } from '#catalog/types.ts';
import type { AdminUser } from '#contract/users.ts';
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
interface ListQuery {
  readonly role?: UserRecord['role'] | 'banned' | undefined;
  readonly q?: string | undefined;
  readonly page: number;
  readonly limit: number;
}

/** The administrators' list of users, newest first, with exact counts and totals. */
export const listUsers = async (ports: ListPorts, { role, q, page, limit }: ListQuery) => {
  const [catalog, register] = await Promise.all([ports.catalog(), ports.users()]);
  const found = register.select({ role, q });
  const skip = (page - 1) * limit;
  const shown = found.slice(skip, skip + limit);
  return {
    data: shown.map((user) => adminView(catalog, user)),
    meta: { total: found.length, page, pageSize: limit, hasMore: skip + shown.length < found.length },
  };
};
