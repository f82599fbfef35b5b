import { useState } from 'react';
import type { Category } from '#contract/categories.ts';
import { client, dataOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { notify } from '../../app/toasts.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { SelectField } from '../../components/fields.tsx';
import { Loaded } from '../../components/states.tsx';
import { formatNumber } from '../../format.ts';
import * as strings from '../../strings.ts';
import { refreshCategories, revertBatch } from './changes.ts';
import { text } from './strings.ts';

/** The result of a dry run; a real one has no counts. */
interface Affected {
  readonly batch_id: string | null;
  readonly counts?: { readonly updated: number };
}

/** How many listings a dry run would change. */
const affectedBy = async (dryRun: Promise<Affected>): Promise<number> => (await dryRun).counts?.updated ?? 0;

const done = async (message: string, result: { readonly batch_id: string | null }): Promise<void> => {
  const { batch_id } = result;
  notify(message, batch_id === null ? undefined : () => revertBatch(batch_id));
  await refreshCategories();
};

/** Asks before a category is deleted, with the number of listings that lose it. */
export const DeleteDialog = ({
  category: { id, name },
  onClose,
}: {
  readonly category: Category;
  readonly onClose: () => void;
}) => {
  const params = { category: id };
  const affected = useResource(['category-removal', id], (signal) =>
    affectedBy(dataOf(client.categories.remove({ params, query: { dry_run: true }, signal }))),
  );
  return (
    <Confirm
      title={text.deleteTitle(name)}
      action={strings.actions.delete}
      onConfirm={async () => done(text.deleted(name), await dataOf(client.categories.remove({ params })))}
      onClose={onClose}
    >
      <Loaded query={affected} rows={1}>
        {(count) => <p>{text.deleteText(formatNumber(count), count)}</p>}
      </Loaded>
    </Confirm>
  );
};

/** Asks for the category that replaces another one, with the number of listings that change. */
export const MergeIntoDialog = ({
  categories,
  category: { id, name },
  onClose,
}: {
  readonly categories: readonly Category[];
  readonly category: Category;
  readonly onClose: () => void;
}) => {
  const others = categories.filter((one) => one.id !== id);
  const [into, setInto] = useState('');
  const target = others.find((one) => one.id === into);
  const params = { category: id };
  const affected = useResource(
    ['category-merge', id, into],
    (signal) =>
      affectedBy(dataOf(client.categories.merge({ params, query: { dry_run: true }, body: { into }, signal }))),
    { isEnabled: into !== '' },
  );
  const targetName = target?.name ?? '';
  return (
    <Confirm
      title={text.mergeTitle(name)}
      action={text.merge}
      isReady={target !== undefined}
      onConfirm={async () =>
        done(text.merged(name, targetName), await dataOf(client.categories.merge({ params, body: { into } })))
      }
      onClose={onClose}
    >
      <SelectField
        name="into"
        value={into}
        options={[
          ['', text.chooseTarget],
          ...others.map((one): [string, string] => [
            one.id,
            one.sphere === null ? one.name : `${one.sphere} · ${one.name}`,
          ]),
        ]}
        onChange={setInto}
      />
      {target && (
        <Loaded query={affected} rows={1}>
          {(count) => <p>{text.mergeText(formatNumber(count), count, targetName)}</p>}
        </Loaded>
      )}
    </Confirm>
  );
};
