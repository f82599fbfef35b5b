// The account of the signed-in user.

import { type ComponentChildren, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Claim } from '#contract/claims.ts';
import type { Draft } from '#contract/drafts.ts';
import type { Follow } from '#contract/follows.ts';
import type { Project } from '#contract/projects.ts';
import type { Notifications, User } from '#contract/users.ts';
import { Problem, useAction } from '../browser/action.tsx';
import { pageUrl, RequestError, request, responseOf } from '../browser/api.ts';
import { ClaimSteps } from '../browser/claims.tsx';
import { fieldProblems, t } from '../browser/messages.ts';
import { currentUser, endSession, leave, markSession } from '../browser/session.ts';
import { Statistics } from '../browser/statistics.tsx';

const { lang } = document.documentElement;
const number = new Intl.NumberFormat(lang);
const date = new Intl.DateTimeFormat(lang, { dateStyle: 'long' });
const time = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeStyle: 'short' });

const Section = ({
  id,
  title,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly children: ComponentChildren;
}) => (
  <section class="panel" aria-labelledby={id}>
    <h2 id={id} tabIndex={-1}>
      {title}
    </h2>
    {children}
  </section>
);

const profileFields = [
  ['name', 'text', 100],
  ['website', 'url', 2000],
  ['avatar_url', 'url', 2000],
] as const;

const Profile = ({ user }: { readonly user: User }) => {
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [isSaved, setSaved] = useState(false);
  const { isRunning, problem, run } = useAction();
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    void run(async () => {
      setProblems({});
      setSaved(false);
      try {
        await request('PUT', '/user/profile', { body: Object.fromEntries(new FormData(form)) });
        setSaved(true);
      } catch (error) {
        if (!(error instanceof RequestError) || error.status !== 400) throw error;
        const found = fieldProblems(error.body.details);
        setProblems(found);
        const [first = ''] = Object.keys(found);
        form.querySelector<HTMLElement>(`[name="${CSS.escape(first)}"]`)?.focus();
      }
    });
  };
  const describe = (name: string) =>
    problems[name] === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': `${name}-problem` };
  const message = (name: string) =>
    problems[name] !== undefined && (
      <p class="problem" id={`${name}-problem`}>
        {problems[name]}
      </p>
    );
  return (
    <Section id="profile" title={t('me.profile')}>
      <p class="soft">{user.email === null ? t('me.noEmail') : t('me.email', { email: user.email })}</p>
      <form class="fields" onSubmit={save} noValidate>
        {profileFields.map(([name, mode, length]) => (
          <p class="field" key={name}>
            <label for={name}>{t(`me.profile.${name}`)}</label>
            <input
              id={name}
              name={name}
              inputMode={mode}
              maxLength={length}
              defaultValue={user[name] ?? ''}
              {...describe(name)}
            />
            {message(name)}
          </p>
        ))}
        <p class="field">
          <label for="bio">{t('me.profile.bio')}</label>
          <textarea
            id="bio"
            name="bio"
            rows={4}
            maxLength={500}
            dir="auto"
            defaultValue={user.bio ?? ''}
            {...describe('bio')}
          />
          {message('bio')}
        </p>
        <Problem error={problem} />
        <p class="form-end">
          <button type="submit" class="button primary" disabled={isRunning}>
            {t('me.save')}
          </button>
          <span class="soft" role="status">
            {isSaved ? t('me.saved') : ''}
          </span>
        </p>
      </form>
    </Section>
  );
};

const Mails = ({ user }: { readonly user: User }) => {
  const [values, setValues] = useState(user.notifications);
  const { isRunning, problem, run } = useAction();
  const change = (name: keyof Notifications, isOn: boolean): void =>
    void run(async () => {
      setValues({ ...values, [name]: isOn });
      try {
        const body = { notifications: { [name]: isOn } };
        setValues((await request<{ notifications: Notifications }>('PUT', '/user/settings', { body })).notifications);
      } catch (error) {
        setValues(values);
        throw error;
      }
    });
  return (
    <Section id="mails" title={t('me.mails')}>
      <p class="soft">{t('me.mails.text')}</p>
      <ul class="checks">
        {(Object.keys(values) as (keyof Notifications)[]).map((name) => (
          <li key={name}>
            <label>
              <input
                type="checkbox"
                checked={values[name]}
                disabled={isRunning}
                onChange={({ currentTarget }) => change(name, currentTarget.checked)}
              />
              {t(`me.mails.${name}`)}
            </label>
          </li>
        ))}
      </ul>
      <Problem error={problem} />
    </Section>
  );
};

interface ListPage<T> {
  readonly data: readonly T[];
  readonly meta: { readonly total: number; readonly hasMore: boolean };
}

const SHOWN = 20;

/** A list that is read page by page. */
const usePages = <T extends { readonly id: string } = Project>(path: string) => {
  const [items, setItems] = useState<readonly T[]>();
  const [hasMore, setMore] = useState(false);
  const { isRunning, problem, run } = useAction();
  const load = (page: number): void =>
    void run(async () => {
      const response = await responseOf('GET', `${path}?limit=${SHOWN}&page=${page}`);
      const { data, meta } = (await response.json()) as ListPage<T>;
      const known = page === 1 ? [] : (items ?? []);
      setItems([...known, ...data.filter(({ id }) => !known.some((one) => one.id === id))]);
      setMore(meta.hasMore);
    });
  useEffect(() => load(1), []);
  const more = hasMore && (
    <p>
      <button
        type="button"
        class="button"
        disabled={isRunning}
        onClick={() => load(Math.floor((items?.length ?? 0) / SHOWN) + 1)}
      >
        {t('me.more')}
      </button>
    </p>
  );
  return { items, setItems, more, problem };
};

const Name = ({ project }: { readonly project: Project }) => (
  <h3 dir="auto">
    {project.status === 'live' ? <a href={pageUrl(`/projects/${project.slug}`)}>{project.name}</a> : project.name}
  </h3>
);

/** A listing that was approved before it becomes public. */
const publication = ({ status, approved_at, publish_at }: Project): string | undefined =>
  status === 'pending' && approved_at && publish_at
    ? t('me.scheduled', { time: time.format(new Date(publish_at)) })
    : undefined;

const Drafts = () => {
  const { items, setItems, more, problem } = usePages<Draft>('/me/drafts');
  const removal = useAction();
  const remove = (id: string): void =>
    void removal.run(async () => {
      await request('DELETE', `/me/drafts/${id}`);
      setItems(items?.filter((one) => one.id !== id));
      document.getElementById('drafts')?.focus();
    });
  return (
    <Section id="drafts" title={t('me.drafts')}>
      {items?.length === 0 && <p class="soft">{t('me.drafts.none')}</p>}
      <ul class="own-list">
        {items?.map(({ id, content, updated_at, expires_at }) => {
          const name = typeof content.name === 'string' ? content.name : t('submit.unnamed');
          return (
            <li key={id} class="with-action">
              <div>
                <h3 dir="auto">
                  <a href={pageUrl(`/submit?${new URLSearchParams({ draft: id }).toString()}`)}>{name}</a>
                </h3>
                <p class="soft">
                  {t('me.drafts.changed', {
                    changed: time.format(new Date(updated_at)),
                    expires: date.format(new Date(expires_at)),
                  })}
                </p>
              </div>
              <button
                type="button"
                class="button"
                disabled={removal.isRunning}
                aria-label={t('me.drafts.deleteOne', { name })}
                onClick={() => remove(id)}
              >
                {t('me.drafts.delete')}
              </button>
            </li>
          );
        })}
      </ul>
      <Problem error={problem ?? removal.problem} />
      {more}
      <p>
        <a class="button" href={pageUrl('/submit')}>
          {t('submit.title')}
        </a>
      </p>
    </Section>
  );
};

const Submissions = ({ isCounted }: { readonly isCounted: boolean }) => {
  const { items, more, problem } = usePages('/me/submissions');
  return (
    <Section id="submissions" title={t('me.submissions')}>
      {items?.length === 0 && <p class="soft">{t('me.submissions.none')}</p>}
      <ul class="own-list">
        {items?.map((project) => (
          <li key={project.id}>
            <Name project={project} />
            <p class="row-meta">
              <span class={`badge state-${project.status}`}>{t(`me.status.${project.status}`)}</span>
              {project.status === 'live' && (
                <>
                  <span>{t('me.views', { count: number.format(project.views_count) })}</span>
                  <span>{t('me.votes', { count: number.format(project.upvote_count) })}</span>
                  <span>{t('me.comments', { count: number.format(project.comments_count) })}</span>
                  {project.ratings_count > 0 && (
                    <span>{t('me.rating', { average: number.format(project.average_rating) })}</span>
                  )}
                </>
              )}
              {project.queue_position !== undefined && project.queue_position !== null && (
                <span>{t('me.queue', { position: number.format(project.queue_position) })}</span>
              )}
              {publication(project) !== undefined && <span>{publication(project)}</span>}
            </p>
            {project.status === 'rejected' && project.rejection_reason && (
              <p dir="auto">{t('me.rejected', { reason: project.rejection_reason })}</p>
            )}
            <p>
              <a
                href={pageUrl(`/submit?${new URLSearchParams({ edit: project.id }).toString()}`)}
                aria-label={t('me.editOne', { name: project.name })}
              >
                {t('me.edit')}
              </a>
            </p>
            {isCounted && project.status === 'live' && <Statistics id={project.id} name={project.name} />}
          </li>
        ))}
      </ul>
      <Problem error={problem} />
      {more}
    </Section>
  );
};

const Bookmarks = () => {
  const { items, setItems, more, problem } = usePages('/me/bookmarks');
  const removal = useAction();
  const remove = (id: string): void =>
    void removal.run(async () => {
      await request('DELETE', `/projects/${id}/bookmark`);
      setItems(items?.filter((one) => one.id !== id));
      document.getElementById('bookmarks')?.focus();
    });
  return (
    <Section id="bookmarks" title={t('me.bookmarks')}>
      {items?.length === 0 && <p class="soft">{t('me.bookmarks.none')}</p>}
      <ul class="own-list">
        {items?.map((project) => (
          <li key={project.id} class="with-action">
            <div>
              <Name project={project} />
              <p class="soft" dir="auto">
                {project.description}
              </p>
            </div>
            <button
              type="button"
              class="button"
              disabled={removal.isRunning}
              aria-label={t('me.bookmarks.removeOne', { name: project.name })}
              onClick={() => remove(project.id)}
            >
              {t('me.bookmarks.remove')}
            </button>
          </li>
        ))}
      </ul>
      <Problem error={problem ?? removal.problem} />
      {more}
    </Section>
  );
};

/** The filters of a follow in words, as they are written. */
const filtersInWords = ({ query }: Follow): string =>
  Object.entries(query)
    .filter(([name]) => name !== 'match')
    .map(([name, value]) => (name === 'q' ? `“${value}”` : name === 'category' ? value : `${name}: ${value}`))
    .join(', ');

const Follows = ({ isMailed }: { readonly isMailed: boolean }) => {
  const [follows, setFollows] = useState<readonly Follow[]>();
  const { isRunning, problem, run } = useAction();
  useEffect(() => void run(async () => setFollows(await request<readonly Follow[]>('GET', '/me/follows'))), []);
  const remove = (id: string): void =>
    void run(async () => {
      await request('DELETE', `/me/follows/${id}`);
      setFollows(follows?.filter((one) => one.id !== id));
      document.getElementById('follows')?.focus();
    });
  return (
    <Section id="follows" title={t('me.follows')}>
      {follows?.length === 0 && <p class="soft">{t('me.follows.none')}</p>}
      {!isMailed && follows !== undefined && follows.length > 0 && <p class="notice">{t('me.follows.noMail')}</p>}
      <ul class="own-list">
        {follows?.map((follow) => {
          const name = follow.name ?? filtersInWords(follow);
          return (
            <li key={follow.id} class="with-action">
              <div>
                <h3 dir="auto">
                  <a href={`${pageUrl('/projects')}?${new URLSearchParams(follow.query).toString()}`}>{name}</a>
                </h3>
                <p class="row-meta">
                  <span>{t(`me.follows.${follow.frequency}`)}</span>
                  {!follow.is_valid && <span class="problem">{t('me.follows.invalid')}</span>}
                </p>
              </div>
              <button
                type="button"
                class="button"
                disabled={isRunning}
                aria-label={t('me.follows.removeOne', { name })}
                onClick={() => remove(follow.id)}
              >
                {t('me.follows.remove')}
              </button>
            </li>
          );
        })}
      </ul>
      <Problem error={problem} />
    </Section>
  );
};

const Claims = () => {
  const { items, setItems, more, problem } = usePages<Claim>('/me/claims');
  const replace = (changed: Claim): void => setItems(items?.map((one) => (one.id === changed.id ? changed : one)));
  return (
    <Section id="claims" title={t('me.claims')}>
      {items?.length === 0 && <p class="soft">{t('me.claims.none')}</p>}
      <ul class="own-list">
        {items?.map((claim) => (
          <li key={claim.id}>
            <h3 dir="auto">
              <a href={pageUrl(`/projects/${claim.project.slug}`)}>{claim.project.name}</a>
            </h3>
            <p class="row-meta">
              <span class="badge">{t(`claim.state.${claim.state}`)}</span>
              <span>{date.format(new Date(claim.created_at))}</span>
            </p>
            <ClaimSteps claim={claim} onChange={replace} />
          </li>
        ))}
      </ul>
      <Problem error={problem} />
      {more}
    </Section>
  );
};

const Data = () => {
  const { isRunning, problem, run } = useAction();
  const download = (): void =>
    void run(async () => {
      const response = await responseOf('GET', '/user/export');
      const address = URL.createObjectURL(await response.blob());
      Object.assign(document.createElement('a'), { href: address, download: 'my-data.json' }).click();
      URL.revokeObjectURL(address);
    });
  return (
    <Section id="data" title={t('me.data')}>
      <p>{t('me.data.text')}</p>
      <Problem error={problem} />
      <p>
        <button type="button" class="button" disabled={isRunning} onClick={download}>
          {t('me.data.export')}
        </button>
      </p>
    </Section>
  );
};

const Erasure = () => {
  const [isSure, setSure] = useState(false);
  const { isRunning, problem, run } = useAction();
  const erase = (event: SubmitEvent): void => {
    event.preventDefault();
    const projects = String(new FormData(event.currentTarget as HTMLFormElement).get('projects'));
    void run(async () => {
      await request('DELETE', `/user?projects=${projects}`);
      markSession(false);
      // The account is gone; without this the browser keeps cookies that no route accepts.
      await endSession().catch(() => undefined);
      await leave();
    });
  };
  return (
    <Section id="erasure" title={t('me.erase')}>
      <p>{t('me.erase.text')}</p>
      <details>
        <summary>{t('me.erase.open')}</summary>
        <form class="fields" onSubmit={erase}>
          <fieldset class="checks">
            <legend>{t('me.erase.listings')}</legend>
            <label>
              <input type="radio" name="projects" value="keep" defaultChecked />
              {t('me.erase.keep')}
            </label>
            <label>
              <input type="radio" name="projects" value="delete" />
              {t('me.erase.delete')}
            </label>
          </fieldset>
          <label class="check">
            <input type="checkbox" checked={isSure} onChange={({ currentTarget }) => setSure(currentTarget.checked)} />
            {t('me.erase.sure')}
          </label>
          <Problem error={problem} />
          <p>
            <button type="submit" class="button danger" disabled={!isSure || isRunning}>
              {t('me.erase.submit')}
            </button>
          </p>
        </form>
      </details>
    </Section>
  );
};

const Account = ({ user, features }: { readonly user: User; readonly features: readonly string[] }) => (
  <div class="panels">
    <p class="soft">{t('me.joined', { date: date.format(new Date(user.joined_at)) })}</p>
    {user.is_banned && (
      <p class="notice bad">
        {t('problem.banned')} {user.ban_reason}
      </p>
    )}
    {features.includes('drafts') && <Drafts />}
    <Submissions isCounted={features.includes('analytics')} />
    {features.includes('bookmarks') && <Bookmarks />}
    {features.includes('follows') && <Follows isMailed={user.notifications.follow_digest} />}
    {features.includes('claims') && <Claims />}
    <Profile user={user} />
    {features.includes('email') && <Mails user={user} />}
    <Data />
    <Erasure />
  </div>
);

const area = document.querySelector<HTMLElement>('[data-me]');
const start = async (): Promise<void> => {
  const [user, { features }] = await Promise.all([
    currentUser(),
    request<{ features: readonly string[] }>('GET', '/settings'),
  ]);
  if (!area || !user) return;
  area.replaceChildren();
  render(<Account user={user} features={features} />, area);
};
start().catch((error: unknown) => {
  if (area) render(<Problem error={error} />, area);
});
