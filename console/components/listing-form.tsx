import { useEffect, useRef, useState } from 'react';
import type { Field } from '#contract/custom-fields.ts';
import type { Project, ProjectEdit } from '#contract/projects.ts';
import { ApiError, client, dataOf, fieldErrors } from '../api.ts';
import { applicable, sentValue, type Typed, useCustomFields, useNameOfField } from '../app/custom-fields.ts';
import { isMac, useKeys } from '../app/keys.tsx';
import { ifMatch, type Listing, readListing, useCategories } from '../app/listings.ts';
import { refresh } from '../app/queries.ts';
import { notify } from '../app/toasts.tsx';
import { leave, useUnsaved } from '../app/unsaved.tsx';
import * as strings from '../strings.ts';
import { Button } from './button.tsx';
import { textOfCustom } from './custom-value.tsx';
import { ErrorMessage } from './error-message.tsx';
import { ListField, SelectField, TextArea, TextField } from './fields.tsx';
import { Images } from './images.tsx';
import { later } from './lazy.tsx';
import { optionalTextNames, optionalTexts } from './listing-fields.ts';
import { MergeDialog, type MergedField } from './merge.tsx';
import { ActorLink } from './record-link.tsx';
import { useInvalidFocus } from './use-invalid-focus.ts';

const CustomInput = later(async () => (await import('./custom-input.tsx')).CustomInput);
const PlaceMap = later(async () => (await import('./place-map.tsx')).PlaceMap, <div className="place-map" />);

/** The fields of the form by kind, in its order. */
const TEXTS = ['name', 'slug', 'url', 'description', 'long_description', 'logo_url', ...optionalTextNames] as const;
const LISTS = ['categories', 'tags', 'screenshots'] as const;
const PLACE = ['latitude', 'longitude', 'address_city', 'address_country'] as const;
/** Moderators do not change these. */
const RESERVED = ['plan', 'status', 'owner_id', 'rejection_reason'] as const;
const NAMES = [...TEXTS, ...LISTS, 'pricing_type', ...PLACE, ...RESERVED] as const;

/** A field of the contract, or `fields.<key>` for a further one. */
type Name = (typeof NAMES)[number] | `fields.${string}`;
type Draft = Readonly<Record<Name, Typed | undefined>>;

const PREFIX = 'fields.';
const customName = ({ key }: Field): Name => `${PREFIX}${key}`;
const isCustom = (name: Name): name is `fields.${string}` => name.startsWith(PREFIX);

const namesOf = (fields: readonly Field[]): readonly Name[] => [...NAMES, ...fields.map(customName)];

const draftOf = (project: Project, fields: readonly Field[]): Draft =>
  Object.fromEntries([
    ...NAMES.map((name) => {
      const value = project[name];
      return [name, Array.isArray(value) ? value : String(value ?? '')];
    }),
    ...fields.map((field) => [customName(field), project.fields?.[field.key] ?? null]),
  ]) as Draft;

const textOf = (value: Typed | undefined, field: Field | undefined): string =>
  value === null || value === undefined ? '' : typeof value === 'string' && !field ? value : textOfCustom(value, field);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const bodyValue = (name: Name, value: Typed | undefined): unknown => {
  if (name === 'latitude' || name === 'longitude') return value === '' ? null : Number(value);
  if (name === 'rejection_reason') return value === '' ? null : value;
  return value;
};

const bodyOf = (draft: Draft, names: readonly Name[], fields: readonly Field[]): ProjectEdit => {
  const changed = fields.filter((field) => names.includes(customName(field)));
  return {
    ...Object.fromEntries(names.filter((name) => !isCustom(name)).map((name) => [name, bodyValue(name, draft[name])])),
    ...(changed.length > 0 && {
      fields: Object.fromEntries(
        changed.map((field) => [field.key, sentValue(field, draft[customName(field)] ?? null)]),
      ),
    }),
  };
};

/** Schemas are loaded with the first attempt to save. @throws {ApiError} with the messages of the fields. */
const validateEdit = async (body: ProjectEdit): Promise<void> => {
  const { validate } = await import('../app/validation.ts');
  await validate(async () => (await import('#contract/projects.ts')).ProjectEdit, body);
};

/** All fields of a listing. Only changed ones are sent, for the version that was opened. */
export const ListingForm = ({
  listing,
  isAdmin,
  takesFocus = false,
  onDone,
}: {
  readonly listing: Listing;
  readonly isAdmin: boolean;
  /** The form was opened in place of something else: its first field has the focus, and `Esc` closes it. */
  readonly takesFocus?: boolean;
  /** After saving, and after cancelling. */
  readonly onDone: () => void;
}) => {
  // A refreshed listing must not change the fields under the cursor; a merge continues from the newer version.
  const [base, setBase] = useState(listing);
  const fields = useCustomFields();
  const names = namesOf(fields);
  const [typed, setTyped] = useState<Partial<Draft>>({});
  const [error, setError] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  // Until the saved listing is read, the form has the words that were typed.
  const [isSaved, setSaved] = useState(false);
  const [conflicts, setConflicts] = useState<{ readonly all: readonly MergedField[]; readonly newer: Listing }>();
  const { slugs, nameOf } = useCategories();

  const original = draftOf(base.project, fields);
  const draft: Draft = { ...original, ...typed };
  const changed = isSaved ? [] : names.filter((name) => !isSame(draft[name], original[name]));
  const nameInWords = useNameOfField();
  useUnsaved(changed.length > 0);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (takesFocus) form.current?.querySelector('input')?.focus();
  }, [takesFocus]);
  useInvalidFocus(form, error);
  useKeys({
    '$mod+s': { label: strings.listing.save, run: () => form.current?.requestSubmit() },
  });

  const send = async (next: Draft, against: Listing): Promise<void> => {
    const before = draftOf(against.project, fields);
    const sent = names.filter((name) => !isSame(next[name], before[name]));
    if (sent.length === 0) return onDone();
    const body = bodyOf(next, sent, fields);
    await validateEdit(body);
    const { id } = against.project;
    try {
      const saved = await dataOf(client.projects.edit({ params: { project: id }, body, ...ifMatch(against.etag) }));
      setSaved(true);
      notify(strings.listing.saved(saved.name));
      await refresh('projects', 'revisions');
      onDone();
    } catch (failure) {
      if (!(failure instanceof ApiError && failure.status === 412)) throw failure;
      await merge(next, await readListing(id));
    }
  };

  const save = async (next: Draft, against: Listing): Promise<void> => {
    setSaving(true);
    setError(undefined);
    try {
      await send(next, against);
    } catch (failure) {
      setError(failure);
    } finally {
      setSaving(false);
    }
  };

  /** Fields that only one of two people has changed keep that change; the others are asked for. */
  const merge = async (mine: Draft, newer: Listing): Promise<void> => {
    const before = draftOf(base.project, fields);
    const theirs = draftOf(newer.project, fields);
    const isMine = (name: Name) => !isSame(mine[name], before[name]);
    const isTheirs = (name: Name) => !isSame(theirs[name], before[name]);
    const all = names
      .filter((name) => isMine(name) && isTheirs(name) && !isSame(mine[name], theirs[name]))
      .map((name) => {
        const field = fields.find((one) => customName(one) === name);
        const [own, other] = [textOf(mine[name], field), textOf(theirs[name], field)];
        return { name, label: nameInWords(name), mine: own, theirs: other, isMine: true };
      });
    const merged = Object.fromEntries(names.map((name) => [name, isMine(name) ? mine[name] : theirs[name]])) as Draft;
    setBase(newer);
    setTyped(merged);
    if (all.length > 0) setConflicts({ all, newer });
    else await send(merged, newer);
  };

  const change = (part: Partial<Draft>): void => {
    setSaved(false);
    setTyped((before) => ({ ...before, ...part }));
  };
  const set =
    (name: Name) =>
    (value: Typed): void =>
      change({ [name]: value });
  const field = (name: Name) => ({ name, onChange: set(name), errors: fieldErrors(error, name) });
  const text = (name: Name) => ({ ...field(name), value: String(draft[name]) });
  const list = (name: Name) => ({
    ...field(name),
    value: draft[name] as readonly string[],
    onChange: (value: readonly string[]) => set(name)([...value]),
  });

  return (
    <form
      ref={form}
      className="listing-form stack"
      noValidate
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !(takesFocus || changed.length > 0)) return;
        if (event.target instanceof Element && event.target.closest('dialog')) return;
        // The question would be closed by the same key.
        event.preventDefault();
        leave(onDone);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSaving && changed.length > 0) void save(draft, base);
      }}
    >
      <div className="grid">
        <TextField {...text('name')} />
        <TextField {...text('url')} type="url" />
        <TextField {...text('slug')} />
        <SelectField {...text('pricing_type')} options={Object.entries(strings.pricing)} />
      </div>
      <TextArea {...text('description')} />
      <TextArea {...text('long_description')} rows={8} />
      <div className="grid">
        <ListField {...list('categories')} suggestions={slugs} labelOf={nameOf} />
        <ListField {...list('tags')} />
      </div>
      <div className="grid">
        <TextField {...text('logo_url')} type="url" hint={<Images urls={[String(draft.logo_url)]} />} />
        {optionalTextNames.map((name) => (
          <TextField key={name} {...text(name)} type={optionalTexts[name]} />
        ))}
      </div>
      <ListField {...list('screenshots')} />
      <Images urls={draft.screenshots as readonly string[]} />
      <div className="grid narrow">
        {PLACE.map((name) => (
          <TextField key={name} {...text(name)} />
        ))}
      </div>
      <PlaceMap
        latitude={String(draft.latitude)}
        longitude={String(draft.longitude)}
        onChange={(latitude, longitude) => change({ latitude, longitude })}
      />
      {applicable(fields, draft.categories as readonly string[]).map((one) => (
        <CustomInput
          key={one.id}
          field={one}
          value={draft[customName(one)] ?? null}
          errors={fieldErrors(error, 'fields', one.key)}
          onChange={set(customName(one))}
        />
      ))}
      {isAdmin && (
        <div className="grid narrow">
          <SelectField {...text('plan')} options={Object.entries(strings.plan)} />
          <SelectField
            {...text('status')}
            options={(['live', 'pending', 'rejected'] as const).map((status) => [status, strings.status[status]])}
          />
          <TextField {...text('owner_id')} hint={<ActorLink id={base.project.owner_id} />} />
          <TextField {...text('rejection_reason')} />
        </div>
      )}
      <ErrorMessage error={error} hasFields />
      <div className="row save-bar">
        <Button
          kind="primary"
          type="submit"
          hint={isMac ? '⌘ S' : 'Ctrl S'}
          isDisabled={isSaving || changed.length === 0}
        >
          {strings.actions.save}
        </Button>
        <Button onClick={() => leave(onDone)}>{strings.actions.cancel}</Button>
        {changed.length > 0 && (
          <span className="soft small truncate">
            {strings.listing.unsaved(changed.length)}: {changed.map(nameInWords).join(', ')}
          </span>
        )}
      </div>
      {conflicts && (
        <MergeDialog
          fields={conflicts.all}
          onClose={() => setConflicts(undefined)}
          onSave={(mine) => {
            const theirs = draftOf(conflicts.newer.project, fields);
            const isTheirs = new Set(conflicts.all.map(({ name }) => name).filter((name) => !mine.has(name)));
            const merged = Object.fromEntries(
              names.map((name) => [name, isTheirs.has(name) ? theirs[name] : draft[name]]),
            ) as Draft;
            setConflicts(undefined);
            setTyped(merged);
            void save(merged, conflicts.newer);
          }}
        />
      )}
    </form>
  );
};
