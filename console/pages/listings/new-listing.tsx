import { useEffect, useRef, useState } from 'react';
import type { Submission } from '#contract/projects.ts';
import { client, dataOf, fieldErrors } from '../../api.ts';
import { useCategories, useListing } from '../../app/listings.ts';
import { refresh } from '../../app/queries.ts';
import { notify } from '../../app/toasts.tsx';
import { Checkbox, ListField, SelectField, TextArea, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

const EMPTY = {
  name: '',
  url: '',
  description: '',
  long_description: '',
  pricing_type: 'free',
  logo_url: '',
  categories: [],
  tags: [],
} as const satisfies Partial<Submission>;

type Draft = { readonly [Name in keyof typeof EMPTY]: Submission[Name] };

/** Schemas are loaded with the first attempt to save. @throws {ApiError} with the messages of the fields. */
const validateSubmission = async (body: Submission): Promise<void> => {
  const { validate } = await import('../../app/validation.ts');
  await validate(async () => (await import('#contract/projects.ts')).Submission, body);
};

/** Adds a listing, in the name of the administrator. @param origin is the id of a listing whose content it begins with. */
export const NewListing = ({
  origin,
  onClose,
}: {
  readonly origin: string | undefined;
  /** @param made is the id of the new listing, if any. */
  readonly onClose: (made: string | undefined) => void;
}) => {
  const { slugs, nameOf } = useCategories();
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const made = useRef<string>(undefined);
  const [isPublished, setPublished] = useState(true);
  const original = useListing(origin ?? '', { isEnabled: origin !== undefined }).data?.project;
  useEffect(() => {
    if (!original) return;
    const { url, description, long_description, pricing_type, logo_url, categories, tags } = original;
    const name = text.copyOf(original.name);
    setDraft({ name, url, description, long_description, pricing_type, logo_url, categories, tags });
  }, [original]);

  const create = async () => {
    const body: Submission = { plan: 'standard', ...draft };
    await validateSubmission(body);
    const created = await dataOf(client.projects.submit({ body }));
    if (!('id' in created)) return;
    const { id, status } = created;
    if (isPublished && status === 'pending') await dataOf(client.projects.approve({ params: { project: id } }));
    notify(text.created(draft.name));
    await refresh('projects');
    made.current = id;
  };

  return (
    <FormDialog
      title={text.create}
      action={strings.actions.save}
      isWide
      onSubmit={create}
      onClose={() => onClose(made.current)}
    >
      {(error) => {
        const field = <Name extends keyof Draft>(name: Name) => ({
          name,
          errors: fieldErrors(error, name),
          onChange: (value: Draft[Name]) => setDraft((before) => ({ ...before, [name]: value })),
        });
        const line = (name: 'name' | 'url' | 'description' | 'long_description' | 'logo_url') => ({
          ...field(name),
          value: draft[name] ?? '',
        });
        return (
          <>
            <div className="grid">
              <TextField {...line('name')} />
              <TextField {...line('url')} />
            </div>
            <TextArea {...line('description')} />
            <TextArea {...line('long_description')} rows={5} />
            <div className="grid">
              <ListField
                {...field('categories')}
                value={draft.categories}
                onChange={(categories) => setDraft({ ...draft, categories: [...categories] })}
                suggestions={slugs}
                labelOf={nameOf}
              />
              <ListField
                {...field('tags')}
                value={draft.tags ?? []}
                onChange={(tags) => setDraft({ ...draft, tags: [...tags] })}
              />
              <SelectField
                {...field('pricing_type')}
                value={draft.pricing_type}
                options={Object.entries(strings.pricing) as [Draft['pricing_type'], string][]}
              />
              <TextField {...line('logo_url')} />
            </div>
            <Checkbox label={text.publish} isChecked={isPublished} onChange={setPublished} />
            <p className="soft small">{text.createText}</p>
          </>
        );
      }}
    </FormDialog>
  );
};
