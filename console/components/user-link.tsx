import { Link } from 'wouter';
import { useCurrentUser } from '../app/current-user.ts';
import * as strings from '../strings.ts';

/** What a user is called: the name, or what else is known. */
export const userName = ({
  name,
  email,
  id,
}: {
  readonly name: string | null;
  readonly email?: string | null;
  readonly id: string;
}): string => name ?? email ?? id;

/** The name of a user; for administrators a link to what the user did. */
export const UserLink = ({ user }: { readonly user: { readonly id: string; readonly name: string | null } | null }) => {
  const { is_admin } = useCurrentUser();
  if (!user) return <span className="soft">{strings.user.erasedUser}</span>;
  const name = <bdi>{userName(user)}</bdi>;
  return is_admin ? <Link href={`/users?open=${encodeURIComponent(user.id)}`}>{name}</Link> : name;
};
