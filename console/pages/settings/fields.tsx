import { useState } from 'react';
import type { AdminField } from '#contract/custom-fields.ts';
import { client, dataOf } from '../../api.ts';
import { storeOrder as storeOrderOf } from '../../app/ordering.ts';
import { refresh, useResource } from '../../app/queries.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { useUrl } from '../../app/url.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { later } from '../../components/lazy.tsx';
import { OrderedRow } from '../../components/ordered-row.tsx';
import { droppedAt, movedTo } from '../../components/reordered.ts';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import type { Edge } from '../../components/use-dragging.ts';
import { formatNumber } from '../../format.ts';
import * as strings from '../../strings.ts';
import { fields as text } from './strings.ts';

const FieldForm = later(async () => (await import('./field-form.tsx')).FieldForm);

const NEW = 'new';
const KEY = ['fields', 'all'] as const;

const flags = ['required', 'filterable', 'sortable'] as const;

const refreshFields = () => refresh('fields', 'projects');

const storeOrder = (fields: readonly AdminField[]): Promise<void> =>
  storeOrderOf(
    KEY,
    fields,
    (field, sort_order) => dataOf(client.fields.update({ params: { field }, body: { sort_order } })),
    refreshFields,
  );

const restore = async ({ id, label }: AdminField): Promise<void> => {
  await dataOf(client.fields.update({ params: { field: id }, body: { deleted_at: null } }));
  notify(text.restored(label));
  await refreshFields();
};

/** Asks before a field is deleted, with the number of listings that show it. */
const DeleteDialog = ({ field, onClose }: { readonly field: AdminField; readonly onClose: () => void }) => {
  const params = { field: field.id };
  const affected = useResource(['field-removal', field.id], async (signal) => {
    const found = await dataOf(client.fields.remove({ params, query: { dry_run: true }, signal }));
    return 'dry_run' in found ? found.listings : 0;
  });
  return (
    <Confirm
      title={text.deleteTitle(field.label)}
      action={strings.actions.delete}
      onConfirm={async () => {
        await dataOf(client.fields.remove({ params }));
        notify(text.deleted(field.label), () => restore(field));
        await refreshFields();
      }}
      onClose={onClose}
    >
      <Loaded query={affected} rows={1}>
        {(count) => <p>{text.deleteText(formatNumber(count), count)}</p>}
      </Loaded>
      <p className="soft">{text.deletedText}</p>
    </Confirm>
  );
};

/** The definitions of further fields: order, creation, changes, deletion and restoring. */
export const FieldsTab = () => {
  const [url, change] = useUrl();
  const open = url.get('open');
  const [removed, setRemoved] = useState<AdminField>();
  const query = useResource(KEY, (signal) => dataOf(client.fields.browse({ signal })), { poll: open === null });
  const close = () => change({ open: undefined }, { replace: true });
  return (
    <Loaded query={query}>
      {(all) => {
        const fields = all.filter(({ deleted_at }) => deleted_at === null);
        const deleted = all.filter(({ deleted_at }) => deleted_at !== null);
        const opened = all.find(({ id }) => id === open);
        const store = (label: string, next: readonly AdminField[]) =>
          void perform(async () => {
            await storeOrder([...next, ...deleted]);
            notify(text.moved(label), () => storeOrder(all));
          });
        const drop = (id: string, target: string, edge: Edge) =>
          store(fields.find((one) => one.id === id)?.label ?? '', droppedAt(fields, id, target, edge));
        return (
          <div className="stack">
            <div className="row apart">
              <p className="soft shrink">{text.text}</p>
              <Button kind="primary" icon="add" onClick={() => change({ open: NEW })}>
                {text.add}
              </Button>
            </div>
            {fields.length === 0 ? (
              <EmptyState title={text.empty}>
                <p>{text.emptyText}</p>
              </EmptyState>
            ) : (
              <ul className="card rows" aria-label={text.list}>
                {fields.map((field, at) => (
                  <OrderedRow
                    key={field.id}
                    id={field.id}
                    title={field.label}
                    reference={field.key}
                    isFirst={at === 0}
                    isLast={at === fields.length - 1}
                    onDrop={drop}
                    onStep={(step) => store(field.label, movedTo(fields, field.id, at + step))}
                    onDelete={() => setRemoved(field)}
                  >
                    {text.types[field.type]}
                    {field.access !== 'public' && <Badge tone="wait">{text.access[field.access]}</Badge>}
                    {flags
                      .filter((flag) => field[flag])
                      .map((flag) => (
                        <Badge key={flag} tone="neutral">
                          {text.flags[flag]}
                        </Badge>
                      ))}
                  </OrderedRow>
                ))}
              </ul>
            )}
            {deleted.length > 0 && (
              <section className="stack tight" aria-label={text.deletedList}>
                <h2>{text.deletedList}</h2>
                <p className="soft">{text.deletedText}</p>
                <ul className="card rows">
                  {deleted.map((field) => (
                    <li key={field.id} className="row apart">
                      <span className="row tight">
                        <bdi>{field.label}</bdi>
                        <span className="soft small mono">{field.key}</span>
                        {field.deleted_at && <Time at={field.deleted_at} />}
                      </span>
                      <Button onClick={() => void perform(() => restore(field))}>{strings.actions.restore}</Button>
                    </li>
                  ))}
                </ul>
              </section>
            )}
            {open === NEW && <FieldForm field={undefined} onClose={close} />}
            {opened && <FieldForm key={opened.id} field={opened} onClose={close} />}
            {removed && <DeleteDialog field={removed} onClose={() => setRemoved(undefined)} />}
          </div>
        );
      }}
    </Loaded>
  );
};
