import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { client, dataOf } from '../api.ts';
import { useCategories } from '../app/listings.ts';
import { useResource } from '../app/queries.ts';
import { words } from '../format.ts';
import * as strings from '../strings.ts';
import { userName } from './user-link.tsx';

/** The name of a listing; its id until it is known, and after it was deleted permanently. */
export const ListingName = ({ id }: { readonly id: string }) => {
  const { data } = useResource(['projects', 'name', id], (signal) =>
    dataOf(client.projects.read({ params: { project: id }, signal })),
  );
  return <bdi>{data?.name ?? id}</bdi>;
};

const ERASED = 'erased';

/** The name of a user, for administrators; the id until it is known, and of an API key. */
export const UserName = ({ id }: { readonly id: string }) => {
  const { data } = useResource(
    ['users', 'one', id],
    (signal) => dataOf(client.users.read({ params: { user: id }, signal })),
    { isEnabled: id !== ERASED },
  );
  if (id === ERASED) return strings.user.erasedUser;
  return <bdi>{data ? userName(data) : id}</bdi>;
};

/** Who did something, as a link to what else this user did. @param name of an API key. */
export const ActorLink = ({ id, name = null }: { readonly id: string | null; readonly name?: string | null }) => {
  if (id === null) return <span className="soft">{strings.user.service}</span>;
  if (name !== null) return <bdi>{name}</bdi>;
  if (id === ERASED) return <span className="soft">{strings.user.erasedUser}</span>;
  return (
    <Link href={`/users?open=${encodeURIComponent(id)}`}>
      <UserName id={id} />
    </Link>
  );
};

const CategoryName = ({ id }: { readonly id: string }) => <bdi>{useCategories().nameOfId(id)}</bdi>;

/** The pages that show a record of a kind. */
const pageOf: Readonly<Record<string, string>> = {
  project: 'listings',
  user: 'users',
  category: 'categories',
  webhook: 'webhooks',
  batch: 'batches',
  promotion: 'promotions',
  import: 'imports',
};

const nameOf = (kind: string, id: string): ReactNode => {
  if (kind === 'project') return <ListingName id={id} />;
  if (kind === 'user') return <UserName id={id} />;
  if (kind === 'category') return <CategoryName id={id} />;
  return words(kind);
};

/** The name of a record, such as `project:prj_…`. */
export const SubjectName = ({ subject }: { readonly subject: string }) => {
  const [kind = '', id = ''] = subject.split(/:(.*)/s);
  return nameOf(kind, id);
};

/** A record, such as `project:prj_…`, by name, as a link to its page. */
export const SubjectLink = ({ subject }: { readonly subject: string }) => {
  const [kind = '', id = ''] = subject.split(/:(.*)/s);
  const page = pageOf[kind];
  if (page === undefined || id === ERASED) return <span title={id}>{nameOf(kind, id)}</span>;
  return (
    <Link href={`/${page}?open=${encodeURIComponent(id)}`} title={id}>
      {nameOf(kind, id)}
    </Link>
  );
};

/** Records by name, separated by commas. */
export const SubjectLinks = ({ subjects }: { readonly subjects: readonly string[] }) =>
  subjects.map((subject, at) => (
    <span key={subject}>
      {at > 0 && ', '}
      <SubjectLink subject={subject} />
    </span>
  ));
