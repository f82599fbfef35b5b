import { useState } from 'react';
import type { Promotion, PromotionAction } from '#contract/promotions.ts';
import { client, dataOf, fieldErrors } from '../../api.ts';
import { refresh, useResource } from '../../app/queries.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { Button } from '../../components/button.tsx';
import { Choices } from '../../components/choices.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { TextArea, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

const administer = async (promotion: string, body: PromotionAction): Promise<void> => {
  await dataOf(client.promotions.administer({ params: { promotion }, body }));
  await refresh('promotions');
};

/** Changes the end of a promotion; the previous end comes back with `Undo`. */
const changeEnd = async ({ id, ends_at }: Promotion, body: PromotionAction): Promise<void> => {
  await administer(id, body);
  notify(
    text.changed,
    ends_at === null ? undefined : async () => await administer(id, { action: 'set_end_date', ends_at }),
  );
};

const EXTENSION_DAYS = '30';

export const Actions = ({ promotion }: { readonly promotion: Promotion }) => {
  const [dialog, setDialog] = useState<'approve' | 'extend' | 'revoke'>();
  const [days, setDays] = useState(EXTENSION_DAYS);
  const [reason, setReason] = useState('');
  const close = () => setDialog(undefined);
  const { id, status } = promotion;
  return (
    <span className="row">
      {status === 'pending' && <Button onClick={() => setDialog('approve')}>{strings.actions.approve}</Button>}
      {(status === 'active' || status === 'expired') && (
        <Button onClick={() => setDialog('extend')}>{text.extend}</Button>
      )}
      {status === 'active' && (
        <Button
          onClick={() =>
            void perform(
              async () => await changeEnd(promotion, { action: 'set_end_date', ends_at: new Date().toISOString() }),
            )
          }
        >
          {text.end}
        </Button>
      )}
      {(status === 'active' || status === 'pending') && (
        <Button kind="danger" onClick={() => setDialog('revoke')}>
          {text.revoke}
        </Button>
      )}
      {dialog === 'approve' && (
        <Confirm
          title={text.approveTitle}
          action={strings.actions.approve}
          onClose={close}
          onConfirm={async () => {
            await administer(id, { action: 'approve' });
            notify(text.approved);
          }}
        >
          <p>{text.approveText(promotion.months ?? 1)}</p>
        </Confirm>
      )}
      {dialog === 'extend' && (
        <FormDialog
          title={text.extendTitle}
          action={text.extend}
          onClose={close}
          onSubmit={async () => await changeEnd(promotion, { action: 'extend', days: Number(days) })}
        >
          {(error) => (
            <TextField name="days" type="number" value={days} errors={fieldErrors(error, 'days')} onChange={setDays} />
          )}
        </FormDialog>
      )}
      {dialog === 'revoke' && (
        <Confirm
          title={text.revokeTitle}
          action={text.revoke}
          onClose={close}
          onConfirm={async () => {
            await administer(id, { action: 'revoke', ...(reason.trim() !== '' && { reason }) });
            notify(text.revoked);
          }}
        >
          <p>{status === 'pending' ? text.revokePending : text.revokeActive}</p>
          <TextArea name="reason" value={reason} hint={text.reasonHint} onChange={setReason} />
        </Confirm>
      )}
    </span>
  );
};

const LISTED_MAX = 8;

/** Live listings that match a name or slug. */
const useLiveListings = (q: string) => {
  const { data } = useResource(
    ['projects', 'pick', { q, status: 'live' }],
    (signal) => dataOf(client.projects.browse({ query: { status: 'live', q, limit: LISTED_MAX }, signal })),
    { isEnabled: q.length > 1 },
  );
  return q.length <= 1 ? [] : (data ?? []).map(({ slug, name }) => ({ value: slug, label: name }));
};

/** Grants a promotion for free. */
export const Grant = ({
  placements,
  onClose,
}: {
  readonly placements: readonly string[];
  readonly onClose: () => void;
}) => {
  const [project, setProject] = useState('');
  const [placed, setPlaced] = useState<readonly string[]>([]);
  const listings = useLiveListings(project.trim());
  const chosen = listings.find(({ value }) => value === project.trim());
  const [days, setDays] = useState(EXTENSION_DAYS);
  const [label, setLabel] = useState('');
  return (
    <FormDialog
      title={text.grantTitle}
      action={text.grant}
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await dataOf(
          client.promotions.grant({
            body: {
              project_id: project.trim(),
              placements: placed as Promotion['placements'],
              days: Number(days),
              cta_text: label,
            },
          }),
        );
        notify(text.granted, async () => {
          await administer(id, { action: 'revoke' });
        });
        await refresh('promotions');
      }}
    >
      {(error) => (
        <>
          <TextField
            name="project_id"
            label={text.listing}
            hint={chosen?.label ?? text.listingHint}
            value={project}
            suggestions={listings}
            errors={fieldErrors(error, 'project_id')}
            onChange={setProject}
          />
          <Choices
            legend={text.columns.placements}
            options={placements.map((placement) => [placement, words(placement)])}
            value={placed}
            errors={fieldErrors(error, 'placements')}
            onChange={setPlaced}
          />
          <TextField name="days" type="number" value={days} errors={fieldErrors(error, 'days')} onChange={setDays} />
          <TextField
            name="cta_text"
            label={text.callToAction}
            hint={text.callToActionHint}
            value={label}
            errors={fieldErrors(error, 'cta_text')}
            onChange={setLabel}
          />
        </>
      )}
    </FormDialog>
  );
};
