import { Link } from 'wouter';
import type { LoggedEvent } from '#contract/events.ts';
import { SubjectLink } from './record-link.tsx';

/** What an event is about, by the name that it had then, or that it has now. */
export const EventSubject = ({ data }: Pick<LoggedEvent, 'data'>) => {
  const { name, project_id, user_id, host, batch_id, category_id, webhook_id } = data as Readonly<
    Record<string, string | null | undefined>
  >;
  if (project_id) {
    return name ? (
      <Link href={`/listings?open=${project_id}`}>
        <bdi>{name}</bdi>
      </Link>
    ) : (
      <SubjectLink subject={`project:${project_id}`} />
    );
  }
  if (name ?? host) return <bdi>{name ?? host}</bdi>;
  const [kind, id] =
    Object.entries({ user: user_id, category: category_id, webhook: webhook_id, batch: batch_id }).find(
      ([, one]) => one,
    ) ?? [];
  return kind !== undefined && id ? <SubjectLink subject={`${kind}:${id}`} /> : null;
};
