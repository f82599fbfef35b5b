import type { ReadCatalog } from '#catalog/types.ts';
import { catalog } from '#data/catalog.ts';
import { type UserFilters, userReplica } from '#data/user-replica.ts';
import { type Paging, pageOf } from '#model/paging.ts';
import { adminUserView } from './view.ts';

const projectCount = (projects: ReadCatalog, ownerId: string): number =>
  projects.query({
    scope: { status: 'any', deleted: 'excluded', ownerId },
    filters: { searchIn: 'public' },
    sort: 'newest',
    page: 1,
    limit: 1,
  }).total;

/** The administrators' list of users, newest first, with exact counts and totals. */
export const listUsers = async (query: UserFilters & Paging) => {
  const [projects, users] = await Promise.all([catalog(), userReplica()]);
  const { data, meta } = pageOf(users.select(query), query);
  return { data: data.map((user) => adminUserView(user, projectCount(projects, user.id))), meta };
};
