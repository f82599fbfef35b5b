import { useRef, useState } from 'react';
import type { Category } from '#contract/categories.ts';
import { ApiError, client, dataOf, fieldErrors, responseOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { notify } from '../../app/toasts.tsx';
import { leave, useUnsaved } from '../../app/unsaved.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Field, TextArea, TextField } from '../../components/fields.tsx';
import { MergeDialog } from '../../components/merge.tsx';
import { useInvalidFocus } from '../../components/use-invalid-focus.ts';
import { formatNumber, words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { CategoryIcon } from './category-icon.tsx';
import { refreshCategories } from './changes.ts';
import { spheresOf } from './order.ts';
import { text } from './strings.ts';

const names = ['name', 'slug', 'sphere', 'description', 'icon', 'color'] as const;
type Name = (typeof names)[number];
type Values = Readonly<Record<Name, string>>;

const valuesOf = (category: Category | undefined): Values =>
  Object.fromEntries(names.map((name) => [name, category?.[name] ?? ''])) as Values;

/** A category with the tag that a change has to name. */
interface Version {
  readonly values: Values;
  readonly etag: string;
}

const readVersion = async (id: string, signal?: AbortSignal): Promise<Version> => {
  const { body, headers } = await responseOf(
    client.categories.read({ params: { category: id }, ...(signal && { signal }) }),
  );
  return { values: valuesOf(body.data), etag: headers.get('etag') ?? '' };
};

const SWATCH = '#888888';

/** A form for a category. After a change by someone else, both versions are merged per field. */
export const CategoryForm = ({
  categories,
  category,
  onClose,
}: {
  readonly categories: readonly Category[];
  readonly category: Category | undefined;
  readonly onClose: () => void;
}) => {
  const id = category?.id;
  // The version that the form began with; refreshing it would hide changes of others.
  const opened = useResource(
    ['category-version', id],
    async (signal) => (id === undefined ? undefined : await readVersion(id, signal)),
    { isEnabled: id !== undefined },
  );
  const [base, setBase] = useState<Version>();
  const original = base ?? opened.data;
  const [edited, setEdited] = useState<Partial<Values>>({});
  const [theirs, setTheirs] = useState<Version>();
  const [error, setError] = useState<unknown>();
  const form = useRef<HTMLFormElement>(null);
  useInvalidFocus(form, error);
  const release = useUnsaved(
    names.some((name) => edited[name] !== undefined && edited[name] !== original?.values[name]),
  );
  const values: Values = { ...(original?.values ?? valuesOf(category)), ...edited };
  const set = (name: Name) => (value: string) => {
    if (original) setBase(original);
    setEdited({ ...edited, [name]: value });
  };
  const save = async (fields: Partial<Values>, version: Version | undefined) => {
    setError(undefined);
    try {
      if (id === undefined) await dataOf(client.categories.create({ body: { ...values } }));
      else {
        await dataOf(
          client.categories.update({
            params: { category: id },
            body: fields,
            headers: version ? { 'if-match': version.etag } : {},
          }),
        );
      }
    } catch (failure) {
      if (id !== undefined && failure instanceof ApiError && failure.status === 412) setTheirs(await readVersion(id));
      else setError(failure);
      return;
    }
    notify(text.saved(values.name));
    release();
    onClose();
    await refreshCategories();
  };
  if (theirs) {
    return (
      <MergeDialog
        fields={names
          .filter((name) => values[name] !== theirs.values[name])
          .map((name) => ({
            name,
            label: words(name),
            mine: values[name],
            theirs: theirs.values[name],
            isMine: values[name] !== original?.values[name],
          }))}
        onSave={(mine) => {
          const kept = Object.fromEntries(names.filter((name) => mine.has(name)).map((name) => [name, values[name]]));
          setEdited(kept);
          setBase(theirs);
          setTheirs(undefined);
          void save(kept, theirs);
        }}
        onClose={() => setTheirs(undefined)}
      />
    );
  }
  const field = (name: Name) => ({
    name,
    value: values[name],
    errors: fieldErrors(error, name),
    onChange: set(name),
  });
  const spheres = spheresOf(categories).flatMap(({ name }) => (name === null ? [] : [name]));
  return (
    <Dialog title={category ? text.edit(category.name) : text.new} onClose={() => leave(onClose)}>
      <form
        ref={form}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save(edited, original);
        }}
      >
        <ErrorMessage error={error} hasFields />
        <TextField {...field('name')} />
        <TextField
          {...field('slug')}
          hint={
            category ? text.slugHint(formatNumber(category.project_count), category.project_count) : text.newSlugHint
          }
        />
        <Field name="sphere" errors={fieldErrors(error, 'sphere')} hint={text.sphereHint}>
          {(control) => (
            <>
              <input
                {...control}
                className="input"
                list={`${control.id}-list`}
                value={values.sphere}
                dir="auto"
                autoComplete="off"
                onChange={(event) => set('sphere')(event.target.value)}
              />
              <datalist id={`${control.id}-list`}>
                {spheres.map((sphere) => (
                  <option key={sphere} value={sphere} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <TextArea {...field('description')} rows={2} />
        <TextField {...field('icon')} hint={text.iconHint} />
        <Field name="color" errors={fieldErrors(error, 'color')}>
          {(control) => (
            <span className="row">
              <input
                {...control}
                type="color"
                className="swatch"
                value={values.color === '' ? SWATCH : values.color}
                onChange={(event) => set('color')(event.target.value)}
              />
              {values.color === '' ? (
                <span className="soft">{text.noColor}</span>
              ) : (
                <>
                  <span className="mono small">{values.color}</span>
                  <Button kind="link" onClick={() => set('color')('')}>
                    {text.removeColor}
                  </Button>
                </>
              )}
              <span className="push">
                <CategoryIcon
                  category={{ name: values.name, icon: values.icon || null, color: values.color || null }}
                />
              </span>
            </span>
          )}
        </Field>
        <DialogActions>
          <Button onClick={() => leave(onClose)}>{strings.actions.cancel}</Button>
          <Button kind="primary" type="submit" isDisabled={category !== undefined && !original}>
            {strings.actions.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
