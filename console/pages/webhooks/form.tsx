import { useState } from 'react';
import type { EventKind } from '#contract/events.ts';
import type { Webhook } from '#contract/webhooks.ts';
import { eventKinds } from '#shared/client/manifest.ts';
import { client, dataOf, fieldErrors } from '../../api.ts';
import { refresh } from '../../app/queries.ts';
import { notify } from '../../app/toasts.tsx';
import { Choices } from '../../components/choices.tsx';
import { Checkbox, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { formatNumber, words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

/** The kinds by what they are about, which their first word says. */
const groups = Map.groupBy(eventKinds, (kind) => words(kind).split(' ')[0] ?? '');

/** Creates an endpoint, or changes one. @param onCreated gets the secret, which is not shown again. */
export const WebhookForm = ({
  webhook,
  onCreated,
  onClose,
}: {
  readonly webhook?: Webhook;
  readonly onCreated: (secret: string) => void;
  readonly onClose: () => void;
}) => {
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [kinds, setKinds] = useState<readonly EventKind[]>((webhook?.kinds as EventKind[] | undefined) ?? []);
  const [is_active, setActive] = useState(webhook?.is_active ?? true);
  const submit = async () => {
    const body = { url, description, kinds: [...kinds], is_active };
    if (webhook) {
      await dataOf(client.webhooks.update({ params: { webhook: webhook.id }, body }));
      notify(text.saved);
    } else {
      const { secret } = await dataOf(client.webhooks.create({ body }));
      onCreated(secret);
    }
    await refresh('webhooks');
  };
  return (
    <FormDialog
      title={webhook ? text.editTitle : text.create}
      action={webhook ? strings.actions.save : text.create}
      isWide
      onSubmit={submit}
      onClose={onClose}
    >
      {(error) => (
        <>
          <TextField
            name="url"
            type="url"
            value={url}
            hint={text.urlHint}
            errors={fieldErrors(error, 'url')}
            onChange={setUrl}
          />
          <TextField
            name="description"
            value={description}
            errors={fieldErrors(error, 'description')}
            onChange={setDescription}
          />
          <Checkbox label={text.isActive} isChecked={is_active} onChange={setActive} />
          <Checkbox
            label={text.allKinds(formatNumber(eventKinds.length))}
            isChecked={kinds.length === eventKinds.length}
            onChange={(isOn) => setKinds(isOn ? eventKinds : [])}
          />
          <div className="grid narrow">
            {[...groups].map(([group, options]) => (
              <Choices
                key={group}
                legend={group}
                options={options.map((kind) => [kind, words(kind)])}
                value={kinds}
                onChange={setKinds}
              />
            ))}
          </div>
          {fieldErrors(error, 'kinds').map((message) => (
            <p key={message} className="field-error" role="alert">
              {message}
            </p>
          ))}
        </>
      )}
    </FormDialog>
  );
};
