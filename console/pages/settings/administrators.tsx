import { useState } from 'react';
import type { User } from '#contract/users.ts';
import { bodyOf, client, dataOf } from '../../api.ts';
import { refresh, useResource } from '../../app/queries.ts';
import { session } from '../../app/session.ts';
import { useStore } from '../../app/store.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/fields.tsx';
import { MakeAdminConfirm } from '../../components/make-admin-confirm.tsx';
import { Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import * as strings from '../../strings.ts';
import { administrators as text } from './strings.ts';

const FOUND_MAX = 8;
const LISTED_MAX = 100;

const nameOf = ({ name, email, id }: Pick<User, 'name' | 'email' | 'id'>): string => name ?? email ?? id;

const setRole = async (user: User, role: User['role']): Promise<void> => {
  await dataOf(client.users.update({ params: { user: user.id }, body: { role } }));
  await refresh('users');
};

const change = async (user: User, role: User['role']): Promise<void> => {
  await perform(async () => {
    await setRole(user, role);
    const said = role === 'admin' ? text.added : text.removed;
    notify(said(nameOf(user)), async () => await setRole(user, user.role));
  });
};

const AddAdministrator = () => {
  const [q, setQ] = useState('');
  const [chosen, setChosen] = useState<User>();
  const isEnabled = q.trim().length > 1;
  const found = useResource(
    ['users', 'search', { q }],
    (signal) => dataOf(client.users.list({ query: { q, limit: FOUND_MAX }, signal })),
    { isEnabled },
  );
  const others = isEnabled ? found.data?.filter(({ is_admin }) => !is_admin) : undefined;
  return (
    <section className="card stack tight">
      <h2>{text.add}</h2>
      <TextField name="q" type="search" label={text.search} value={q} onChange={setQ} />
      {others?.length === 0 && <p className="soft">{text.noneFound}</p>}
      <ul className="stack tight">
        {others?.map((user) => (
          <li key={user.id} className="row apart">
            <span className="truncate" dir="auto">
              {nameOf(user)} <span className="soft">{user.name !== null && user.email}</span>
            </span>
            <Button onClick={() => setChosen(user)}>{strings.user.makeAdmin}</Button>
          </li>
        ))}
      </ul>
      {chosen && (
        <MakeAdminConfirm
          name={nameOf(chosen)}
          onConfirm={async () => {
            setQ('');
            await change(chosen, 'admin');
          }}
          onClose={() => setChosen(undefined)}
        />
      )}
    </section>
  );
};

export const AdministratorsTab = () => {
  const current = useStore(session);
  const own = current.state === 'signed-in' ? current.user.id : '';
  const administrators = useResource(
    ['users', 'administrators'],
    (signal) => bodyOf(client.users.list({ query: { role: 'admin', limit: LISTED_MAX }, signal })),
    { poll: true },
  );
  const columns: readonly Column<User>[] = [
    { id: 'name', label: text.columns.name, kind: 'main', cell: (user) => <strong dir="auto">{nameOf(user)}</strong> },
    { id: 'email', label: text.columns.email, kind: 'minor', cell: ({ email }) => email },
    { id: 'joined', label: text.columns.joined, kind: 'minor', cell: ({ joined_at }) => <Time at={joined_at} isAge /> },
    {
      id: 'actions',
      label: text.columns.actions,
      cell: (user) =>
        user.id === own ? (
          <span className="soft">{text.you}</span>
        ) : (
          <Button onClick={() => void change(user, 'user')}>{text.remove}</Button>
        ),
    },
  ];
  return (
    <div className="stack">
      <Loaded query={administrators}>
        {({ data }) => <Table label={text.title} columns={columns} rows={data} idOf={({ id }) => id} nameOf={nameOf} />}
      </Loaded>
      <AddAdministrator />
    </div>
  );
};
