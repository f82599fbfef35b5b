// The inputs of a listing: of a submission, and of an edit by its owner.

import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Project } from '#contract/projects.ts';
import { hostOf } from '../host.ts';
import { pageUrl, RequestError, request } from './api.ts';
import { CustomInput, fieldsFor } from './custom-inputs.tsx';
import { type Content, sentContent } from './draft.ts';
import {
  ChoicesInput,
  ListInput,
  LongTextInput,
  NumberInput,
  type Problems,
  SelectInput,
  TextInput,
} from './inputs.tsx';
import { fieldProblems, t } from './messages.ts';
import { pageData, type ShownData } from './page-data.ts';

const data = pageData<ShownData>();
const { features, limits } = data.settings;
const hasDrafts = features.includes('drafts');

const textIn = (content: Content, name: string): string => {
  const value = content[name];
  return typeof value === 'string' ? value : '';
};

const listIn = (content: Content, name: string): readonly string[] => {
  const value = content[name];
  return Array.isArray(value) ? value : [];
};

/** A time for an input, in the visitor's time zone. */
const localTime = (iso: string): string => {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

const isoTime = (local: string): string => {
  const at = Date.parse(local);
  return Number.isNaN(at) ? local : new Date(at).toISOString();
};

/** The names of the inputs whose problems are shown: those that were left, or all after an attempt to submit. */
export const nameOf = (path: string): string => (path.startsWith('fields.') ? path : (path.split('.')[0] ?? path));

const DUPLICATES = 5;

interface Similar {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}

/** Other listings of the same site. @param own the listing that is edited. */
const useSimilar = (own: string | undefined) => {
  const [similar, setSimilar] = useState<readonly Similar[]>([]);
  const look = async (url: string): Promise<void> => {
    const host = URL.canParse(url) ? hostOf(url) : '';
    if (host === '') return setSimilar([]);
    const query = new URLSearchParams({ q: host, limit: String(DUPLICATES) });
    // A hint: without an answer there is none.
    const found = await request<readonly Project[]>('GET', `/projects?${query.toString()}`).catch(() => []);
    setSimilar(found.filter((one) => one.id !== own && hostOf(one.url) === host));
  };
  return { similar, look };
};

interface FormProps {
  readonly content: Content;
  readonly problems: Problems;
  readonly change: (name: string, value: unknown) => void;
}

export const Essentials = ({ content, problems, change, own }: FormProps & { readonly own?: string }) => {
  const { similar, look } = useSimilar(own);
  const text = (name: string) => ({ name, problems, value: textIn(content, name), isRequired: true }) as const;
  const categories = data.categories.map(({ slug, name }) => [slug, name] as const);
  return (
    <section class="panel" aria-labelledby="essentials">
      <h2 id="essentials">{t('submit.essentials')}</h2>
      <TextInput
        {...text('name')}
        label={t('submit.name')}
        maxLength={limits.name_length_max}
        onChange={(value) => change('name', value)}
      />
      <div onFocusOut={({ target }) => void look((target as HTMLInputElement).value)}>
        <TextInput
          {...text('url')}
          type="url"
          label={t('submit.url')}
          hint={t('submit.url.hint')}
          maxLength={limits.url_length_max}
          onChange={(value) => change('url', value)}
        />
      </div>
      <div role="status">
        {similar.length > 0 && (
          <div class="notice">
            <p>{t('submit.similar')}</p>
            <ul>
              {similar.map(({ name, slug }) => (
                <li key={slug}>
                  <a href={pageUrl(`/projects/${slug}`)} target="_blank" rel="noopener" dir="auto">
                    {name}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
      <LongTextInput
        {...text('description')}
        rows={3}
        label={t('submit.summary')}
        hint={t('submit.summary.hint', { max: limits.description_length_max })}
        maxLength={limits.description_length_max}
        onChange={(value) => change('description', value)}
      />
      <ChoicesInput
        name="categories"
        label={t('submit.categories')}
        hint={t('submit.categories.hint', { max: limits.categories_max })}
        max={limits.categories_max}
        problems={problems}
        options={categories}
        value={listIn(content, 'categories')}
        onChange={(value) => change('categories', value)}
      />
      <SelectInput
        {...text('pricing_type')}
        label={t('project.price')}
        options={[
          ['', t('submit.choose')],
          ['free', t('pricing.free')],
          ['freemium', t('pricing.freemium')],
          ['paid', t('pricing.paid')],
        ]}
        onChange={(value) => change('pricing_type', value)}
      />
    </section>
  );
};

export const Fields = ({ content, problems, change }: FormProps) => {
  const shown = fieldsFor(data.fields, listIn(content, 'categories'));
  const values = (content.fields ?? {}) as Content;
  if (shown.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="fields">
      <h2 id="fields">{t('submit.fields')}</h2>
      {shown.map((field) => (
        <CustomInput
          key={field.id}
          field={field}
          value={values[field.key]}
          problems={problems}
          onChange={(value) => change('fields', { ...values, [field.key]: value })}
        />
      ))}
    </section>
  );
};

export const Details = ({
  content,
  problems,
  change,
  isPublished = false,
}: FormProps & { readonly isPublished?: boolean }) => {
  const text = (name: string) => ({ name, problems, value: textIn(content, name) }) as const;
  return (
    <section class="panel" aria-labelledby="details">
      <h2 id="details">{t('submit.details')}</h2>
      <LongTextInput
        {...text('long_description')}
        rows={8}
        label={t('submit.long')}
        hint={t('submit.long.hint')}
        maxLength={limits.long_description_length_max}
        onChange={(value) => change('long_description', value)}
      />
      <ListInput
        name="tags"
        separator=","
        label={t('project.tags')}
        hint={t('submit.tags.hint', { max: limits.tags_max })}
        problems={problems}
        value={listIn(content, 'tags')}
        onChange={(value) => change('tags', value)}
      />
      <TextInput
        {...text('logo_url')}
        type="url"
        label={t('submit.logo')}
        hint={t('submit.logo.hint')}
        maxLength={limits.url_length_max}
        onChange={(value) => change('logo_url', value)}
      />
      <ListInput
        name="screenshots"
        separator={'\n'}
        label={t('project.screenshots')}
        hint={t('submit.screenshots.hint', { max: limits.screenshots_max })}
        problems={problems}
        value={listIn(content, 'screenshots')}
        onChange={(value) => change('screenshots', value)}
      />
      <TextInput
        {...text('video_url')}
        type="url"
        label={t('submit.video')}
        maxLength={limits.url_length_max}
        onChange={(value) => change('video_url', value)}
      />
      <div class="field-row">
        <TextInput
          {...text('address_city')}
          label={t('submit.city')}
          maxLength={limits.address_length_max}
          onChange={(value) => change('address_city', value)}
        />
        <TextInput
          {...text('address_country')}
          label={t('submit.country')}
          maxLength={limits.address_length_max}
          onChange={(value) => change('address_country', value)}
        />
        <NumberInput
          name="latitude"
          label={t('submit.latitude')}
          problems={problems}
          value={content.latitude}
          onChange={(value) => change('latitude', value)}
        />
        <NumberInput
          name="longitude"
          label={t('submit.longitude')}
          problems={problems}
          value={content.longitude}
          onChange={(value) => change('longitude', value)}
        />
      </div>
      <TextInput
        {...text('slug')}
        label={t('submit.slug')}
        hint={t('submit.slug.hint')}
        maxLength={limits.slug_length_max}
        onChange={(value) => change('slug', value)}
      />
      {hasDrafts && !isPublished && (
        <TextInput
          name="publish_at"
          type="datetime-local"
          label={t('submit.publishAt')}
          hint={t('submit.publishAt.hint')}
          problems={problems}
          value={localTime(textIn(content, 'publish_at'))}
          onChange={(value) => change('publish_at', isoTime(value))}
        />
      )}
    </section>
  );
};

/** The fields that conflicts are about. */
const CONFLICTS: Readonly<Record<string, string>> = { SLUG_TAKEN: 'slug', DUPLICATE_URL: 'url' };

/** What a refusal says about the inputs; undefined when it is about none of them. */
export const problemsIn = (error: unknown): Problems | undefined => {
  if (!(error instanceof RequestError)) return undefined;
  const { status, body } = error;
  if (status === 400) return fieldProblems(body.details);
  const field = CONFLICTS[body.code ?? ''];
  return status === 409 && field !== undefined ? { [field]: body.message ?? t('problem.other') } : undefined;
};

/** The problems that an input would show, but none does: such as of a field that only its owner reads. */
export const withoutInput = (
  form: HTMLFormElement | null,
  problems: Problems,
): readonly (readonly [string, string])[] =>
  Object.entries(problems).filter(([path]) => !form?.querySelector(`[name="${CSS.escape(nameOf(path))}"]`));

/** Moves the focus to the first input with a problem. */
export const focusFirst = (form: HTMLFormElement | null, problems: Problems): void => {
  const names = new Set(Object.keys(problems).map(nameOf));
  [...(form?.querySelectorAll<HTMLElement>('[name]') ?? [])]
    .find((element) => names.has(element.getAttribute('name') ?? ''))
    ?.focus();
};

/** That inputs have problems, and those of no input. */
export const ProblemList = ({
  isIncomplete,
  others,
}: {
  readonly isIncomplete: boolean;
  readonly others: readonly (readonly [string, string])[];
}) => (
  <div role="alert">
    {isIncomplete && <p class="problem">{t('submit.problems')}</p>}
    {others.map(([path, message]) => (
      <p key={path} class="problem">
        {path === '' ? message : `${path}: ${message}`}
      </p>
    ))}
  </div>
);

interface Shown {
  readonly project: Project;
  readonly Page: ComponentType<{ readonly project: Project; readonly data: ShownData }>;
}

/** The page of a listing as it will be, in place of the form. */
export const usePreview = () => {
  const [shown, setShown] = useState<Shown>();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (shown) heading.current?.focus();
  }, [shown]);
  const open = async (content: Content): Promise<void> => {
    // Loaded when it is needed: it reads Markdown.
    const { ShownListing, projectOf } = await import('./shown-listing.tsx');
    setShown({ project: projectOf(sentContent(content), t('submit.unnamed')), Page: ShownListing });
  };
  const preview = shown && (
    <section class="preview" aria-labelledby="preview">
      <div class="notice preview-head">
        <h2 id="preview" tabIndex={-1} ref={heading}>
          {t('submit.preview')}
        </h2>
        <p>{t('submit.preview.text')}</p>
        <p>
          <button type="button" class="button primary" onClick={() => setShown(undefined)}>
            {t('submit.preview.back')}
          </button>
        </p>
      </div>
      <shown.Page project={shown.project} data={data} />
    </section>
  );
  return { preview, open };
};
