import { useState } from 'react';
import { Link } from 'wouter';
import type { Webhook } from '#contract/webhooks.ts';
import { bodyOf, client } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { useUrl } from '../../app/url.ts';
import { Button } from '../../components/button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import { SecretDialog } from '../../components/secret.tsx';
import type { Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber, hostOf } from '../../format.ts';
import { Endpoint, WebhookBadge } from './endpoint.tsx';
import { WebhookForm } from './form.tsx';
import { text } from './strings.ts';

const columns: readonly Column<Webhook>[] = [
  {
    id: 'url',
    label: text.endpoint,
    kind: 'main',
    cell: ({ id, url, description }) => (
      <>
        <Link href={`/webhooks?open=${id}`}>
          <bdi>{description ?? hostOf(url)}</bdi>
        </Link>
        <p className="soft small truncate">{url}</p>
      </>
    ),
  },
  { id: 'state', label: text.state, cell: (webhook) => <WebhookBadge webhook={webhook} /> },
  { id: 'kinds', label: text.kinds, kind: 'end minor', cell: ({ kinds }) => formatNumber(kinds.length) },
  { id: 'created', label: text.created, kind: 'minor', cell: ({ created_at }) => <Time at={created_at} isAge /> },
];

const Endpoints = () => {
  const [url, setUrl] = useUrl();
  const page = Number(url.get('page') ?? 1);
  const webhooks = useResource(
    ['webhooks', 'list', { page }],
    (signal) => bodyOf(client.webhooks.list({ query: { page }, signal })),
    { poll: true },
  );
  return (
    <PagedTable
      query={webhooks}
      empty={text.empty}
      emptyText={text.emptyText}
      label={text.list}
      columns={columns}
      idOf={({ id }) => id}
      nameOf={(webhook) => hostOf(webhook.url)}
      onOpen={({ id }) => setUrl({ open: id })}
    />
  );
};

export const Page = () => {
  const [url] = useUrl();
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const open = url.get('open');
  return (
    <>
      <PageHeader title="Webhooks">
        {open === null && (
          <span className="push">
            <Button kind="primary" icon="add" onClick={() => setCreating(true)}>
              {text.create}
            </Button>
          </span>
        )}
      </PageHeader>
      {open === null ? <Endpoints /> : <Endpoint key={open} id={open} />}
      {isCreating && <WebhookForm onCreated={setSecret} onClose={() => setCreating(false)} />}
      {secret !== undefined && (
        <SecretDialog title={text.secret} secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </>
  );
};
