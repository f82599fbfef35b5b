import { useState } from 'react';
import type { Project, ProjectEdit } from '#contract/projects.ts';
import { ApiError, client, dataOf, fieldErrors } from '../api.ts';
import { ifMatch, type Listing, readListing, useCategories } from '../app/listings.ts';
import { notify } from '../app/notices.tsx';
import { refresh } from '../app/queries.ts';
import { words } from '../format.ts';
import * as strings from '../strings.ts';
import { Button } from './button.tsx';
import { ErrorMessage } from './error-message.tsx';
import { ListField, SelectField, TextArea, TextField } from './fields.tsx';
import { later } from './later.tsx';
import { MergeDialog, type MergedField } from './merge.tsx';

const PlaceMap = later(async () => (await import('./place-map.tsx')).PlaceMap, <div className="place-map" />);

/** The fields of the form by kind, in its order. */
const TEXTS = ['name', 'slug', 'url', 'description', 'long_description', 'logo_url', 'video_url'] as const;
const LISTS = ['categories', 'tags', 'screenshots'] as const;
const PLACE = ['latitude', 'longitude', 'address_city', 'address_country'] as const;
/** Moderators do not change these. */
const RESERVED = ['plan', 'status', 'owner_id', 'rejection_reason'] as const;
const NAMES = [...TEXTS, ...LISTS, 'pricing_type', ...PLACE, ...RESERVED] as const;

type Name = (typeof NAMES)[number];
type Draft = Readonly<Record<Name, string | readonly string[]>>;

const draftOf = (project: Project): Draft =>
  Object.fromEntries(
    NAMES.map((name) => {
      const value = project[name];
      return [name, Array.isArray(value) ? value : String(value ?? '')];
    }),
  ) as Draft;

const textOf = (value: string | readonly string[]): string => (typeof value === 'string' ? value : value.join(', '));

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const bodyValue = (name: Name, value: string | readonly string[]): unknown => {
  if (name === 'latitude' || name === 'longitude') return value === '' ? null : Number(value);
  if (name === 'rejection_reason') return value === '' ? null : value;
  return value;
};

const bodyOf = (draft: Draft, names: readonly Name[]): ProjectEdit =>
  Object.fromEntries(names.map((name) => [name, bodyValue(name, draft[name])])) as ProjectEdit;

/** Schemas are loaded with the first attempt to save. @throws {ApiError} with the messages of the fields. */
const validateEdit = async (body: ProjectEdit): Promise<void> => {
  const { validate } = await import('../app/validation.ts');
  await validate(async () => (await import('#contract/projects.ts')).ProjectEdit, body);
};

/** All fields of a listing. Only changed ones are sent, for the version that was opened. */
export const ListingForm = ({
  listing,
  isAdmin,
  onDone,
}: {
  readonly listing: Listing;
  readonly isAdmin: boolean;
  /** After saving, and after cancelling. */
  readonly onDone: () => void;
}) => {
  // A refreshed listing must not change the fields under the cursor; a merge continues from the newer version.
  const [base, setBase] = useState(listing);
  const [draft, setDraft] = useState<Draft>(() => draftOf(listing.project));
  const [error, setError] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  const [conflicts, setConflicts] = useState<{ readonly all: readonly MergedField[]; readonly newer: Listing }>();
  const { slugs, nameOf } = useCategories();

  const original = draftOf(base.project);
  const changed = NAMES.filter((name) => !isSame(draft[name], original[name]));

  const send = async (next: Draft, against: Listing): Promise<void> => {
    const names = NAMES.filter((name) => !isSame(next[name], draftOf(against.project)[name]));
    if (names.length === 0) return onDone();
    const body = bodyOf(next, names);
    await validateEdit(body);
    const { id } = against.project;
    try {
      const saved = await dataOf(client.projects.edit({ params: { project: id }, body, ...ifMatch(against.etag) }));
      notify(strings.listings.saved(saved.name));
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
    const before = draftOf(base.project);
    const theirs = draftOf(newer.project);
    const isMine = (name: Name) => !isSame(mine[name], before[name]);
    const isTheirs = (name: Name) => !isSame(theirs[name], before[name]);
    const all = NAMES.filter((name) => isMine(name) && isTheirs(name) && !isSame(mine[name], theirs[name])).map(
      (name) => ({ name, label: words(name), mine: textOf(mine[name]), theirs: textOf(theirs[name]), isMine: true }),
    );
    const merged = Object.fromEntries(NAMES.map((name) => [name, isMine(name) ? mine[name] : theirs[name]])) as Draft;
    setBase(newer);
    setDraft(merged);
    if (all.length > 0) setConflicts({ all, newer });
    else await send(merged, newer);
  };

  const set = (name: Name) => (value: string | readonly string[]) =>
    setDraft((before) => ({ ...before, [name]: value }));
  const field = (name: Name) => ({ name, onChange: set(name), errors: fieldErrors(error, name) });
  const text = (name: Name) => ({ ...field(name), value: String(draft[name]) });
  const list = (name: Name) => ({ ...field(name), value: draft[name] as readonly string[] });

  return (
    <form
      className="listing-form stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save(draft, base);
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
        <TextField {...text('logo_url')} type="url" />
        <TextField {...text('video_url')} type="url" />
      </div>
      <ListField {...list('screenshots')} />
      <div className="grid narrow">
        {PLACE.map((name) => (
          <TextField key={name} {...text(name)} />
        ))}
      </div>
      <PlaceMap
        latitude={String(draft.latitude)}
        longitude={String(draft.longitude)}
        onChange={(latitude, longitude) => setDraft((before) => ({ ...before, latitude, longitude }))}
      />
      {isAdmin && (
        <div className="grid narrow">
          <SelectField {...text('plan')} options={Object.entries(strings.plan)} />
          <SelectField
            {...text('status')}
            options={(['live', 'pending', 'rejected'] as const).map((status) => [status, strings.status[status]])}
          />
          <TextField {...text('owner_id')} />
          <TextField {...text('rejection_reason')} />
        </div>
      )}
      <ErrorMessage error={error} />
      <div className="row">
        <Button kind="primary" type="submit" isDisabled={isSaving || changed.length === 0}>
          {strings.actions.save}
        </Button>
        <Button onClick={onDone}>{strings.actions.cancel}</Button>
        {changed.length > 0 && <span className="soft small">{strings.listings.unsaved}</span>}
      </div>
      {conflicts && (
        <MergeDialog
          fields={conflicts.all}
          onClose={() => setConflicts(undefined)}
          onSave={(mine) => {
            const theirs = draftOf(conflicts.newer.project);
            const isTheirs = new Set(conflicts.all.map(({ name }) => name).filter((name) => !mine.has(name)));
            const merged = Object.fromEntries(
              NAMES.map((name) => [name, isTheirs.has(name) ? theirs[name] : draft[name]]),
            ) as Draft;
            setConflicts(undefined);
            setDraft(merged);
            void save(merged, conflicts.newer);
          }}
        />
      )}
    </form>
  );
};
