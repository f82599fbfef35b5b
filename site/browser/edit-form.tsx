// The form of an own listing: its content, and that of the edit that waits for review.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Project } from '#contract/projects.ts';
import type { User } from '#contract/users.ts';
import { Problem, useAction } from './action.tsx';
import { pageUrl, RequestError, responseOf } from './api.ts';
import type { Content } from './draft.ts';
import type { Problems } from './inputs.tsx';
import {
  Details,
  Essentials,
  Fields,
  focusFirst,
  ProblemList,
  problemsIn,
  usePreview,
  withoutInput,
} from './listing-inputs.tsx';
import { t } from './messages.ts';
import { signInUrl } from './session.ts';

const { lang } = document.documentElement;

/** What an owner may change. */
const names = [
  'name',
  'url',
  'description',
  'long_description',
  'categories',
  'tags',
  'pricing_type',
  'logo_url',
  'screenshots',
  'video_url',
  'address_city',
  'address_country',
  'latitude',
  'longitude',
  'slug',
  'publish_at',
] as const satisfies readonly (keyof Project)[];

/** These are not nullable: without a value they have a problem. */
const required: ReadonlySet<string> = new Set(['name', 'url', 'description', 'pricing_type', 'slug']);

/** The content of a listing, with the edit that waits: the next edit continues it. */
const contentOf = (project: Project): Content => {
  const content: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, project[name]]));
  const fields: Record<string, unknown> = { ...project.fields };
  for (const { field, after } of project.pending_revision?.changes ?? []) {
    if (field.startsWith('fields.')) fields[field.slice('fields.'.length)] = after;
    else content[field] = after;
  }
  return { ...content, fields };
};

const isBlank = (value: unknown): boolean => value === '' || value === undefined || value === null;

const isSame = (one: unknown, other: unknown): boolean =>
  (isBlank(one) && isBlank(other)) || JSON.stringify(one) === JSON.stringify(other);

/** The members that differ, as the route takes them: null for none. */
const changesOf = (
  { fields: fieldsBefore, ...before }: Content,
  { fields: fieldsAfter, ...after }: Content,
): Content => {
  const changed = (from: Content, to: Content, isNullable: (name: string) => boolean) =>
    Object.entries(to)
      .filter(([name, value]) => !isSame(value, from[name]))
      .map(([name, value]) => [name, isBlank(value) && isNullable(name) ? null : value] as const);
  const fields = changed((fieldsBefore ?? {}) as Content, (fieldsAfter ?? {}) as Content, () => true).map(
    // A list without a choice is no value.
    ([name, value]) => [name, Array.isArray(value) && value.length === 0 ? null : value] as const,
  );
  return {
    ...Object.fromEntries(changed(before, after, (name) => !required.has(name))),
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
  };
};

/** What became of an edit. */
const resultOf = ({ status, pending_revision, approved_at, publish_at }: Project): string => {
  if (status === 'rejected') return t('edit.done.rejected');
  if (status === 'live') return t(pending_revision ? 'edit.done.review' : 'edit.done.live');
  if (!approved_at || !publish_at) return t('edit.done.pending');
  const time = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(publish_at));
  return t('submit.done.scheduled', { time });
};

interface Read {
  readonly project: Project;
  readonly etag: string | null;
}

const readFrom = async (response: Response): Promise<Read> => ({
  project: ((await response.json()) as { data: Project }).data,
  etag: response.headers.get('etag'),
});

const EditForm = ({ start, onChanged }: { readonly start: Read; readonly onChanged: (read: Read) => void }) => {
  const { project, etag } = start;
  const [content, setContent] = useState<Content>(contentOf(project));
  const [problems, setProblems] = useState<Problems>({});
  const [result, setResult] = useState<string>();
  const saving = useAction();
  const { preview, open } = usePreview();
  const form = useRef<HTMLFormElement>(null);
  const change = (name: string, value: unknown): void => {
    setContent({ ...content, [name]: value });
    setResult(undefined);
  };
  const path = `/projects/${encodeURIComponent(project.id)}`;

  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    void saving.run(async () => {
      setProblems({});
      setResult(undefined);
      const body = changesOf(contentOf(project), content);
      if (Object.keys(body).length === 0) return setResult(t('edit.done.nothing'));
      try {
        const headers = etag === null ? {} : { 'if-match': etag };
        const next = await readFrom(await responseOf('PUT', path, { body, headers }));
        setContent(contentOf(next.project));
        setResult(resultOf(next.project));
        onChanged(next);
      } catch (error) {
        const found = problemsIn(error);
        if (!found) throw error;
        setProblems(found);
        focusFirst(form.current, found);
      }
    });
  };
  const resubmit = (): void =>
    void saving.run(async () => {
      const next = await readFrom(await responseOf('POST', `${path}/resubmit`));
      setResult(resultOf(next.project));
      onChanged(next);
    });

  const isStale = saving.problem instanceof RequestError && saving.problem.status === 412;
  return (
    <>
      {preview}
      <form ref={form} class="panels" noValidate hidden={preview !== undefined} onSubmit={save}>
        {project.pending_revision && <p class="notice">{t('edit.waits')}</p>}
        {project.status === 'rejected' && project.rejection_reason && (
          <p class="notice bad" dir="auto">
            {t('me.rejected', { reason: project.rejection_reason })}
          </p>
        )}
        <Essentials content={content} problems={problems} change={change} own={project.id} />
        <Fields content={content} problems={problems} change={change} />
        <Details content={content} problems={problems} change={change} isPublished={project.published_at !== null} />
        <div class="panel submit-end">
          <ProblemList isIncomplete={Object.keys(problems).length > 0} others={withoutInput(form.current, problems)} />
          {isStale ? (
            <div class="notice bad" role="alert">
              <p>{t('edit.changed')}</p>
              <p>
                <button type="button" class="button" onClick={() => location.reload()}>
                  {t('submit.changed.load')}
                </button>
              </p>
            </div>
          ) : (
            <Problem error={saving.problem} />
          )}
          <p class="form-end">
            <button type="submit" class="button primary" disabled={saving.isRunning}>
              {t('edit.save')}
            </button>
            <button
              type="button"
              class="button"
              disabled={saving.isRunning}
              onClick={() => void saving.run(() => open(content))}
            >
              {t('submit.preview')}
            </button>
            {project.status === 'rejected' && (
              <button type="button" class="button" disabled={saving.isRunning} onClick={resubmit}>
                {t('edit.resubmit')}
              </button>
            )}
          </p>
          <p role="status">{result}</p>
          <p class="form-end">
            {project.status === 'live' && <a href={pageUrl(`/projects/${project.slug}`)}>{t('submit.done.open')}</a>}
            <a href={pageUrl('/me')}>{t('submit.done.me')}</a>
          </p>
        </div>
      </form>
    </>
  );
};

/** The form with the present content. */
export const EditPage = ({ id, user }: { readonly id: string; readonly user: User | null }) => {
  const [read, setRead] = useState<Read>();
  const { problem, run } = useAction();
  useEffect(() => {
    if (user)
      void run(async () => setRead(await readFrom(await responseOf('GET', `/projects/${encodeURIComponent(id)}`))));
  }, []);
  useEffect(() => {
    if (!read) return;
    const title = t('edit.title', { name: read.project.name });
    const heading = document.querySelector('h1');
    if (heading) heading.textContent = title;
    document.title = title;
  }, [read]);
  if (!user) {
    return (
      <p class="notice">
        {t('me.signedOut')} <a href={signInUrl()}>{t('nav.signIn')}</a>
      </p>
    );
  }
  if (read && read.project.owner_id !== user.id && user.role !== 'admin')
    return <p class="notice">{t('edit.notYours')}</p>;
  if (read) return <EditForm start={read} onChanged={setRead} />;
  return problem === undefined ? <p role="status">{t('submit.loading')}</p> : <Problem error={problem} />;
};
