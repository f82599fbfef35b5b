import { useCallback } from 'react';
import { client, dataOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { useUrl } from '../../app/url.ts';
import { DayFields } from '../../components/fields.tsx';
import { type Option, PickField } from '../../components/pick-field.tsx';
import { SubjectName, UserName } from '../../components/record-link.tsx';
import { userName } from '../../components/user-link.tsx';
import { momentOf } from '../../days.ts';

const names = ['actor', 'subject', 'from', 'to'] as const;

/** The filters that the event log and the audit log share, from the URL. Its days are those of the reader. */
export const useFilters = (): Partial<Record<(typeof names)[number], string>> => {
  const [url] = useUrl();
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = url.get(name);
      if (value === null || value === '') return [];
      return [[name, name === 'from' || name === 'to' ? momentOf(name, value) : value]];
    }),
  );
};

const LISTED_MAX = 8;

const useUsers = (q: string): readonly Option[] => {
  const { data } = useResource(
    ['users', 'pick', { q }],
    (signal) => dataOf(client.users.list({ query: { q, limit: LISTED_MAX }, signal })),
    { isEnabled: q.length > 1 },
  );
  if (q.length <= 1) return [];
  return (data ?? []).map((user) => ({ value: user.id, label: userName(user) }));
};

/** Listings and users; other records are given by their id. */
const useSubjects = (q: string): readonly Option[] => {
  const users = useUsers(q);
  const { data } = useResource(
    ['projects', 'pick', { q }],
    (signal) => dataOf(client.projects.browse({ query: { status: 'all', q, limit: LISTED_MAX }, signal })),
    { isEnabled: q.length > 1 },
  );
  if (q.length <= 1) return [];
  return [
    ...(data ?? []).map(({ id, name }) => ({ value: `project:${id}`, label: name })),
    ...users.map(({ value, label }) => ({ value: `user:${value}`, label })),
  ];
};

export const Filters = () => {
  const [url, setUrl] = useUrl();
  const [actor, subject] = [url.get('actor') ?? '', url.get('subject') ?? ''];
  const setActor = useCallback((value: string) => setUrl({ actor: value }), [setUrl]);
  const setSubject = useCallback((value: string) => setUrl({ subject: value }), [setUrl]);
  return (
    <>
      <PickField
        name="actor"
        value={actor}
        chosen={<UserName id={actor} />}
        useOptions={useUsers}
        onChange={setActor}
      />
      <PickField
        name="subject"
        value={subject}
        chosen={<SubjectName subject={subject} />}
        useOptions={useSubjects}
        onChange={setSubject}
      />
      <DayFields
        from={url.get('from') ?? ''}
        to={url.get('to') ?? ''}
        onChange={(name, day) => setUrl({ [name]: day }, { replace: true })}
      />
    </>
  );
};
