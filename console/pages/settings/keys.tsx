import { useState } from 'react';
import type { ApiKey, ListedApiKey } from '#contract/api-keys.ts';
import { client, dataOf, fieldErrors } from '../../api.ts';
import { refresh, useResource } from '../../app/queries.ts';
import { notify } from '../../app/toasts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Choices } from '../../components/choices.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { SecretDialog } from '../../components/secret.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { UserLink } from '../../components/user-link.tsx';
import { momentOf } from '../../days.ts';
import { formatDay } from '../../format.ts';
import { keys as text } from './strings.ts';

type Scope = ApiKey['scopes'][number];

const scopes = Object.keys(text.scopes) as readonly Scope[];

const CreateKey = ({
  onCreated,
  onClose,
}: {
  readonly onCreated: (key: string) => void;
  readonly onClose: () => void;
}) => {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly Scope[]>([]);
  const [end, setEnd] = useState('');
  return (
    <FormDialog
      title={text.create}
      action={text.create}
      onClose={onClose}
      onSubmit={async () => {
        const { key } = await dataOf(
          client.apiKeys.create({
            body: { name, scopes: [...chosen], expires_at: end === '' ? null : momentOf('to', end) },
          }),
        );
        await refresh('keys');
        onCreated(key);
      }}
    >
      {(error) => (
        <>
          <TextField
            name="name"
            value={name}
            errors={fieldErrors(error, 'name')}
            hint={text.nameHint}
            onChange={setName}
          />
          <Choices
            legend={text.columns.scopes}
            options={scopes.map((scope) => [
              scope,
              <span key={scope}>
                <code>{scope}</code> <span className="soft">{text.scopes[scope]}</span>
              </span>,
            ])}
            value={chosen}
            errors={fieldErrors(error, 'scopes')}
            onChange={setChosen}
          />
          <TextField
            name="expires_at"
            type="date"
            value={end}
            errors={fieldErrors(error, 'expires_at')}
            hint={text.endHint}
            onChange={setEnd}
          />
        </>
      )}
    </FormDialog>
  );
};

const StateBadge = ({ apiKey: { revoked_at, expires_at } }: { readonly apiKey: ApiKey }) => {
  if (revoked_at !== null) return <Badge tone="bad">{text.states.revoked}</Badge>;
  if (expires_at !== null && Date.parse(expires_at) < Date.now()) return <Badge>{text.states.expired}</Badge>;
  return <Badge tone="good">{text.states.active}</Badge>;
};

export const KeysTab = () => {
  const keys = useResource(['keys'], (signal) => dataOf(client.apiKeys.list({ signal })), { poll: true });
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [revoked, setRevoked] = useState<ApiKey>();
  const columns: readonly Column<ListedApiKey>[] = [
    { id: 'name', label: text.columns.name, kind: 'main', cell: ({ name }) => <strong dir="auto">{name}</strong> },
    { id: 'state', label: text.columns.state, cell: (apiKey) => <StateBadge apiKey={apiKey} /> },
    { id: 'prefix', label: text.columns.prefix, kind: 'minor', cell: ({ prefix }) => <code>{prefix}…</code> },
    { id: 'scopes', label: text.columns.scopes, kind: 'minor', cell: ({ scopes: given }) => given.join(', ') },
    {
      id: 'creator',
      label: text.columns.creator,
      kind: 'minor',
      cell: ({ created_by: creator }) => (
        <>
          <UserLink user={creator} />
          {creator?.is_admin === false && <Badge tone="wait">{text.formerAdmin}</Badge>}
        </>
      ),
    },
    {
      id: 'used',
      label: text.columns.used,
      kind: 'minor',
      cell: ({ last_used_on }) => (last_used_on === null ? text.never : formatDay(last_used_on)),
    },
    {
      id: 'expires',
      label: text.columns.expires,
      kind: 'minor',
      cell: ({ expires_at }) => (expires_at === null ? text.never : <Time at={expires_at} />),
    },
    {
      id: 'revoke',
      label: text.columns.actions,
      cell: (apiKey) =>
        apiKey.revoked_at === null && (
          <Button kind="danger" onClick={() => setRevoked(apiKey)}>
            {text.revoke}
          </Button>
        ),
    },
  ];
  return (
    <div className="stack">
      <div className="row apart">
        <p className="soft">{text.text}</p>
        <Button kind="primary" icon="add" onClick={() => setCreating(true)}>
          {text.create}
        </Button>
      </div>
      <Loaded query={keys}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title={text.empty} />
          ) : (
            <Table label={text.title} columns={columns} rows={rows} idOf={({ id }) => id} nameOf={({ name }) => name} />
          )
        }
      </Loaded>
      {isCreating && <CreateKey onCreated={setSecret} onClose={() => setCreating(false)} />}
      {secret !== undefined && (
        <SecretDialog title={text.created} secret={secret} onClose={() => setSecret(undefined)} />
      )}
      {revoked && (
        <Confirm
          title={text.revokeTitle(revoked.name)}
          action={text.revoke}
          onClose={() => setRevoked(undefined)}
          onConfirm={async () => {
            await dataOf(client.apiKeys.revoke({ params: { key: revoked.id } }));
            notify(text.revoked(revoked.name));
            await refresh('keys');
          }}
        >
          <p>{text.revokeText}</p>
        </Confirm>
      )}
    </div>
  );
};
