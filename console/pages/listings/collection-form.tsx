import { useState } from 'react';
import type { CollectionWithProjects } from '#contract/collections.ts';
import type { Project } from '#contract/projects.ts';
import { client, dataOf, fieldErrors, responseOf } from '../../api.ts';
import { ifMatch, useListing } from '../../app/listings.ts';
import { refresh, useResource } from '../../app/queries.ts';
import { searchParameters } from '../../app/search.ts';
import { notify } from '../../app/toasts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Checkbox, TextArea, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Logo } from '../../components/logo.tsx';
import { droppedAt, movedTo } from '../../components/reordered.ts';
import { SearchField } from '../../components/search-field.tsx';
import { Loaded } from '../../components/states.tsx';
import { type Edge, useDragging } from '../../components/use-dragging.ts';
import * as strings from '../../strings.ts';
import { collections as text } from './strings.ts';

const FOUND_MAX = 6;

/** A collection with the tag that a change of it has to name. */
interface Version {
  readonly collection: CollectionWithProjects;
  readonly etag: string | undefined;
}

/** A listing of the collection. Those that are not live are read one by one. */
interface Entry {
  readonly id: string;
  readonly project?: Project | undefined;
}

interface Draft {
  readonly title: string;
  readonly slug: string;
  readonly description: string;
  readonly isPublic: boolean;
  readonly members: readonly Entry[];
}

const draftOf = (collection: CollectionWithProjects | undefined): Draft => {
  const live = new Map(collection?.projects.map((project) => [project.id, project]));
  return {
    title: collection?.title ?? '',
    slug: collection?.slug ?? '',
    description: collection?.description ?? '',
    isPublic: collection?.is_public ?? false,
    members: collection?.project_ids?.map((id) => ({ id, project: live.get(id) })) ?? [],
  };
};

const useMember = ({ id, project }: Entry) => {
  const { data, isError } = useListing(id, { isEnabled: project === undefined });
  return { project: project ?? data?.project, isGone: isError };
};

const Member = ({
  entry,
  isFirst,
  isLast,
  onDrop,
  onStep,
  onRemove,
}: {
  readonly entry: Entry;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onDrop: (id: string, target: string, edge: Edge) => void;
  readonly onStep: (step: -1 | 1) => void;
  readonly onRemove: () => void;
}) => {
  const { id } = entry;
  const [row, edge] = useDragging(id, onDrop);
  const { project, isGone } = useMember(entry);
  const name = project?.name ?? (isGone ? text.gone : id);
  return (
    <li ref={row} className="row apart category" data-edge={edge}>
      <span className="row tight shrink grow">
        <Logo url={project?.logo_url ?? null} name={name} />
        <bdi className="truncate">{name}</bdi>
        {project && (project.status !== 'live' || project.deleted_at !== null) && (
          <Badge tone="wait">{strings.status[project.deleted_at === null ? project.status : 'deleted']}</Badge>
        )}
      </span>
      <span className="row tight">
        <Button icon="up" label={strings.actions.moveUp} isDisabled={isFirst} onClick={() => onStep(-1)} />
        <Button icon="down" label={strings.actions.moveDown} isDisabled={isLast} onClick={() => onStep(1)} />
        <Button kind="quiet" icon="close" label={text.removeOne(name)} onClick={onRemove} />
      </span>
    </li>
  );
};

/** Listings that match a search and are not in the collection. */
const Finder = ({
  members,
  onAdd,
}: {
  readonly members: Draft['members'];
  readonly onAdd: (project: Project) => void;
}) => {
  const [q, setQ] = useState('');
  const query = { status: 'all', ...searchParameters(q), limit: FOUND_MAX } as const;
  const found = useResource(
    ['projects', 'to-collect', query],
    (signal) => dataOf(client.projects.browse({ query, signal })),
    { isEnabled: q !== '' },
  );
  const known = new Set(members.map(({ id }) => id));
  const offered = found.data?.filter(({ id }) => !known.has(id)) ?? [];
  return (
    <fieldset
      className="stack tight"
      onKeyDown={(event) => {
        // It searches while one types; Enter would save the collection.
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
      }}
    >
      <legend className="label">{text.find}</legend>
      <SearchField value={q} onSearch={setQ} />
      {q !== '' && found.data && (
        <ul className="stack tight" aria-label={text.found}>
          {offered.map((project) => (
            <li key={project.id} className="row apart">
              <span className="row tight shrink">
                <Logo url={project.logo_url} name={project.name} />
                <bdi className="truncate">{project.name}</bdi>
              </span>
              <Button icon="add" label={text.addOne(project.name)} onClick={() => onAdd(project)} />
            </li>
          ))}
          {offered.length === 0 && <li className="soft small">{text.noneFound}</li>}
        </ul>
      )}
    </fieldset>
  );
};

const PreviewEntry = ({ entry }: { readonly entry: Entry }) => {
  const { project } = useMember(entry);
  if (project?.status !== 'live' || project.deleted_at !== null) return null;
  return (
    <li className="row">
      <Logo url={project.logo_url} name={project.name} isLarge />
      <div className="shrink">
        <strong dir="auto">{project.name}</strong>
        <p className="soft small" dir="auto">
          {project.description}
        </p>
      </div>
    </li>
  );
};

const Preview = ({ draft }: { readonly draft: Draft }) => (
  <section className="stack tight" aria-label={text.preview}>
    <h2>{draft.title || text.preview}</h2>
    <p className="soft small">{text.previewText}</p>
    {draft.description !== '' && (
      <p className="reading prose" dir="auto">
        {draft.description}
      </p>
    )}
    <ol className="card rows">
      {draft.members.map((entry) => (
        <PreviewEntry key={entry.id} entry={entry} />
      ))}
    </ol>
  </section>
);

const Form = ({ version, onClose }: { readonly version: Version | undefined; readonly onClose: () => void }) => {
  // The version that the form began with; refreshing it would hide changes of others.
  const [opened] = useState(version);
  const [draft, setDraft] = useState<Draft>(() => draftOf(opened?.collection));
  const [isPreview, setPreview] = useState(false);
  const set = (patch: Partial<Draft>) => setDraft({ ...draft, ...patch });
  const { members } = draft;
  const save = async (): Promise<void> => {
    const body = {
      title: draft.title,
      slug: draft.slug,
      description: draft.description,
      is_public: draft.isPublic,
      project_ids: members.map(({ id }) => id),
    };
    if (opened) {
      const params = { collection: opened.collection.id };
      await dataOf(client.collections.update({ params, body, ...ifMatch(opened.etag) }));
    } else await dataOf(client.collections.create({ body }));
    notify(text.saved(draft.title));
    await refresh('collections');
  };
  return (
    <FormDialog
      title={opened ? text.edit(opened.collection.title) : text.add}
      action={strings.actions.save}
      isWide
      preview={{ action: text.preview, run: async () => setPreview(!isPreview) }}
      onSubmit={save}
      onClose={onClose}
    >
      {(error) => (
        <>
          <div className="grid">
            <TextField
              name="title"
              value={draft.title}
              errors={fieldErrors(error, 'title')}
              onChange={(title) => set({ title })}
            />
            <TextField
              name="slug"
              value={draft.slug}
              hint={text.slugHint}
              errors={fieldErrors(error, 'slug')}
              onChange={(slug) => set({ slug })}
            />
          </div>
          <TextArea
            name="description"
            value={draft.description}
            hint={text.descriptionHint}
            errors={fieldErrors(error, 'description')}
            onChange={(description) => set({ description })}
          />
          <Checkbox label={text.isPublic} isChecked={draft.isPublic} onChange={(isPublic) => set({ isPublic })} />
          <fieldset className="stack tight">
            <legend className="label">{text.members}</legend>
            {members.length === 0 && <p className="soft small">{text.noMembers}</p>}
            <ul className="rows" aria-label={text.members}>
              {members.map((entry, at) => (
                <Member
                  key={entry.id}
                  entry={entry}
                  isFirst={at === 0}
                  isLast={at === members.length - 1}
                  onDrop={(dropped, target, edge) => set({ members: droppedAt(members, dropped, target, edge) })}
                  onStep={(step) => set({ members: movedTo(members, entry.id, at + step) })}
                  onRemove={() => set({ members: members.filter((one) => one !== entry) })}
                />
              ))}
            </ul>
          </fieldset>
          <Finder members={members} onAdd={(project) => set({ members: [...members, { id: project.id, project }] })} />
          {isPreview && <Preview draft={draft} />}
        </>
      )}
    </FormDialog>
  );
};

const readVersion = async (id: string, signal: AbortSignal): Promise<Version> => {
  const { body, headers } = await responseOf(client.collections.read({ params: { collection: id }, signal }));
  return { collection: body.data, etag: headers.get('etag') ?? undefined };
};

const Existing = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const version = useResource(['collection-version', id], (signal) => readVersion(id, signal));
  return <Loaded query={version}>{(found) => <Form version={found} onClose={onClose} />}</Loaded>;
};

/** A form for a collection and its listings. @param id undefined for a new one. */
export const CollectionForm = ({ id, onClose }: { readonly id: string | undefined; readonly onClose: () => void }) =>
  id === undefined ? <Form version={undefined} onClose={onClose} /> : <Existing id={id} onClose={onClose} />;
