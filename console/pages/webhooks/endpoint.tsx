import { useState } from 'react';
import { Link } from 'wouter';
import type { Attempt, Webhook } from '#contract/webhooks.ts';
import { client, dataOf } from '../../api.ts';
import { refresh, useResource } from '../../app/queries.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { useUrl } from '../../app/url.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { SecretDialog } from '../../components/secret.tsx';
import { Loaded } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { hostOf, words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { AttemptView, Deliveries } from './deliveries.tsx';
import { WebhookForm } from './form.tsx';
import { text } from './strings.ts';

export const WebhookBadge = ({ webhook: { is_active, failing_since, disabled_at } }: { readonly webhook: Webhook }) => {
  if (disabled_at !== null) return <Badge tone="bad">{text.disabled}</Badge>;
  if (!is_active) return <Badge>{text.paused}</Badge>;
  return failing_since === null ? <Badge tone="good">{text.active}</Badge> : <Badge tone="wait">{text.failing}</Badge>;
};

const Facts = ({ webhook }: { readonly webhook: Webhook }) => (
  <dl className="facts">
    <dt>URL</dt>
    <dd>{webhook.url}</dd>
    <dt>{text.kinds}</dt>
    <dd>{webhook.kinds.map(words).join(', ')}</dd>
    {webhook.failing_since !== null && (
      <>
        <dt>{text.failingSince}</dt>
        <dd>
          <Time at={webhook.failing_since} />
        </dd>
      </>
    )}
    {webhook.disabled_at !== null && (
      <>
        <dt>{text.disabledAt}</dt>
        <dd>
          <Time at={webhook.disabled_at} />
        </dd>
      </>
    )}
    {webhook.previous_secret_expires_at !== null && (
      <>
        <dt>{text.previousSecret}</dt>
        <dd>
          <Time at={webhook.previous_secret_expires_at} />
        </dd>
      </>
    )}
  </dl>
);

const Detail = ({ webhook }: { readonly webhook: Webhook }) => {
  const [, setUrl] = useUrl();
  const [dialog, setDialog] = useState<'edit' | 'rotate' | 'delete'>();
  const [ping, setPing] = useState<Attempt>();
  const [secret, setSecret] = useState<string>();
  const close = () => setDialog(undefined);
  const params = { webhook: webhook.id };
  const test = async () => setPing(await dataOf(client.webhooks.test({ params })));
  return (
    <div className="stack">
      <section className="card stack">
        <div className="row">
          <h2>{webhook.description ?? hostOf(webhook.url)}</h2>
          <WebhookBadge webhook={webhook} />
          <span className="row push">
            <Button onClick={() => void perform(test)}>{text.test}</Button>
            <Button icon="edit" onClick={() => setDialog('edit')}>
              {strings.actions.edit}
            </Button>
            <Button onClick={() => setDialog('rotate')}>{text.rotate}</Button>
            <Button kind="danger" onClick={() => setDialog('delete')}>
              {strings.actions.delete}
            </Button>
          </span>
        </div>
        <Facts webhook={webhook} />
      </section>
      <Deliveries webhook={webhook} />
      {ping && (
        <Dialog title={text.testResult} isWide onClose={() => setPing(undefined)}>
          <ul>
            <AttemptView attempt={ping} />
          </ul>
          <DialogActions>
            <Button kind="primary" onClick={() => setPing(undefined)}>
              {strings.actions.close}
            </Button>
          </DialogActions>
        </Dialog>
      )}
      {dialog === 'edit' && <WebhookForm webhook={webhook} onCreated={setSecret} onClose={close} />}
      {dialog === 'rotate' && (
        <Confirm
          title={text.rotateTitle}
          action={text.rotate}
          onClose={close}
          onConfirm={async () => {
            const rotated = await dataOf(client.webhooks.rotate({ params }));
            setSecret(rotated.secret);
            await refresh('webhooks');
          }}
        >
          <p>{text.rotateText}</p>
        </Confirm>
      )}
      {dialog === 'delete' && (
        <Confirm
          title={text.deleteTitle(hostOf(webhook.url))}
          action={strings.actions.delete}
          onClose={close}
          onConfirm={async () => {
            await dataOf(client.webhooks.remove({ params }));
            notify(text.deleted);
            setUrl({ open: undefined, state: undefined });
            await refresh('webhooks');
          }}
        >
          <p>{text.deleteText}</p>
        </Confirm>
      )}
      {secret !== undefined && (
        <SecretDialog title={text.secret} secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </div>
  );
};

/** An endpoint with its deliveries. */
export const Endpoint = ({ id }: { readonly id: string }) => {
  const webhook = useResource(
    ['webhooks', id],
    (signal) => dataOf(client.webhooks.read({ params: { webhook: id }, signal })),
    { poll: true },
  );
  return (
    <div className="stack">
      <Link href="/webhooks">{text.back}</Link>
      <Loaded query={webhook}>{(loaded) => <Detail webhook={loaded} />}</Loaded>
    </div>
  );
};
