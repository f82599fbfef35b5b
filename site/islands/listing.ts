// What a visitor does with a listing: vote, bookmark, rate, comment and report.

import type { Bookmarked } from '#contract/bookmarks.ts';
import type { Comment } from '#contract/comments.ts';
import type { Viewer } from '#contract/projects.ts';
import type { Rated, Upvote } from '#contract/reactions.ts';
import type { User } from '#contract/users.ts';
import { type Method, RequestError, request, responseOf } from '../browser/api.ts';
import { problemText, t } from '../browser/messages.ts';
import { currentUser, markSession, signInUrl } from '../browser/session.ts';
import { stored } from '../browser/storage.ts';
import { stopWaiting } from '../waiting.ts';

const article = document.querySelector<HTMLElement>('article[data-project]');
const id = article?.dataset.project ?? '';
const path = `/projects/${id}`;
const { lang } = document.documentElement;
const number = new Intl.NumberFormat(lang);
const plurals = new Intl.PluralRules(lang);
/** The form of the messages for a count. */
const formOf = (count: number) => (count === 0 ? 'none' : (plurals.select(count) as 'one' | 'many' | 'other'));
const find = <E extends Element = HTMLElement>(selector: string): E | null =>
  article?.querySelector<E>(selector) ?? null;

/** What to do after signing in: only a visitor's own click, kept in this tab, is carried out. */
const intent = stored('sessionStorage', `site-intent-${id}`);
const commentDraft = stored('sessionStorage', `site-comment-${id}`);

const say = (element: HTMLElement | null, text: string): void => {
  if (!element) return;
  element.textContent = text;
  element.hidden = text === '';
};

const signIn = (wish?: string): void => {
  if (wish !== undefined) intent.write(wish);
  location.assign(signInUrl());
};

/** Requests as the signed-in user; others are asked to sign in. @returns undefined when the page is left. */
const asUser = async <T>(method: Method, route: string, body?: object, wish?: string): Promise<T | undefined> => {
  if (!(await currentUser())) {
    signIn(wish);
    return undefined;
  }
  try {
    return await request<T>(method, route, body && { body });
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 401) throw error;
    markSession(false);
    signIn(wish);
    return undefined;
  }
};

/** Runs one action of a control at a time, and shows why it failed. */
const running = new Set<Element>();
const run = async (control: Element, problem: HTMLElement | null, action: () => Promise<void>): Promise<void> => {
  if (running.has(control)) return;
  running.add(control);
  control.setAttribute('aria-busy', 'true');
  say(problem, '');
  try {
    await action();
  } catch (error) {
    say(problem, problemText(error));
  } finally {
    running.delete(control);
    control.removeAttribute('aria-busy');
  }
};

const isPressed = (element: Element | null): boolean => element?.getAttribute('aria-pressed') === 'true';
const press = (element: Element | null, value: boolean): void => element?.setAttribute('aria-pressed', String(value));

const actionProblem = find('[data-action-problem]');
const vote = find('[data-vote]');
const bookmark = find('[data-bookmark]');

const toggleVote = async (wanted: boolean): Promise<void> => {
  const data = await asUser<Upvote>(wanted ? 'PUT' : 'DELETE', `${path}/upvote`, undefined, 'vote');
  if (!data) return;
  press(vote, data.upvoted);
  for (const count of document.querySelectorAll('[data-votes]')) count.textContent = number.format(data.upvote_count);
};

const toggleBookmark = async (wanted: boolean): Promise<void> => {
  const data = await asUser<Bookmarked>(wanted ? 'PUT' : 'DELETE', `${path}/bookmark`, undefined, 'bookmark');
  if (data) press(bookmark, data.bookmarked);
};

const stars = [...(article?.querySelectorAll<HTMLButtonElement>('[data-rate]') ?? [])];
const unrate = find('[data-unrate]');
const rateProblem = find('[data-rate-problem]');

const showRating = (rating: number | null): void => {
  for (const star of stars) {
    press(star, Number(star.dataset.rate) === rating);
    star.classList.toggle('on', Number(star.dataset.rate) <= (rating ?? 0));
  }
  if (unrate) unrate.hidden = rating === null;
};

const rate = async (rating: number | null): Promise<void> => {
  const data = await (rating === null
    ? asUser<Rated>('DELETE', `${path}/ratings`)
    : asUser<Rated>('POST', `${path}/ratings`, { rating }, `rate ${rating}`));
  if (!data) return;
  if (data.rating === null) stars[0]?.focus();
  showRating(data.rating);
  const { average_rating: average, ratings_count: count } = data;
  say(find('[data-average]'), count > 0 ? number.format(average) : '–');
  say(find('[data-ratings]'), t(`project.rated.${formOf(count)}`, { count: number.format(count) }));
  for (const [index, star] of (find('[data-average-stars]')?.querySelectorAll('.icon') ?? []).entries())
    star.classList.toggle('filled', average >= index + 0.5);
};

vote?.addEventListener('click', () => void run(vote, actionProblem, () => toggleVote(!isPressed(vote))));
bookmark?.addEventListener(
  'click',
  () => void run(bookmark, actionProblem, () => toggleBookmark(!isPressed(bookmark))),
);
const rating = find('.rate');
for (const star of stars)
  star.addEventListener(
    'click',
    () => void (rating && run(rating, rateProblem, () => rate(Number(star.dataset.rate)))),
  );
unrate?.addEventListener('click', () => void (rating && run(rating, rateProblem, () => rate(null))));

const element = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const button = (text: string, action: () => void, className = 'link-button'): HTMLButtonElement => {
  const made = element('button', { type: 'button', className }, text);
  made.addEventListener('click', action);
  return made;
};

const form = find<HTMLFormElement>('[data-comment-form]');
const commentProblem = find('[data-comment-problem]');
const commentStatus = find('[data-comment-status]');
const comments = find('[data-comments]');
const date = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' });

/** How long authors may edit a comment, in milliseconds. */
const EDIT_MS = 86_400_000;
/** The longest comment, in characters. */
const COMMENT_MAX = 2000;

const updateComments = (change: number): void => {
  const heading = find('[data-comments-count]');
  if (!heading) return;
  const count = Number(heading.dataset.commentsCount) + change;
  heading.dataset.commentsCount = String(count);
  heading.textContent = t(`project.commented.${formOf(count)}`, { count: number.format(count) });
  const empty = find('[data-empty]');
  if (empty) empty.hidden = count > 0;
};

/** Gives authors what they may do with their comments. */
const addTools = (item: HTMLElement, user: User): void => {
  const isOwn = item.dataset.user === user.id;
  if (!isOwn && !user.is_admin) return;
  const text = item.querySelector<HTMLElement>('.prose');
  const route = `${path}/comments/${item.id}`;
  const problem = element('p', { className: 'problem', hidden: true });
  problem.setAttribute('role', 'alert');
  const tools = element('p', { className: 'comment-tools' });

  const showTools = (): void => {
    const mayEdit = isOwn && Date.now() - Date.parse(item.dataset.created ?? '') < EDIT_MS;
    tools.replaceChildren(
      ...(mayEdit ? [button(t('project.comment.edit'), edit)] : []),
      button(t('project.comment.delete'), askToDelete),
    );
  };
  const cancel = (): void => {
    say(problem, '');
    showTools();
    tools.querySelector('button')?.focus();
  };
  function askToDelete(): void {
    const confirm = button(
      t('project.comment.delete.yes'),
      () =>
        void run(item, problem, async () => {
          const done = await asUser('DELETE', route);
          if (!done) return;
          item.remove();
          updateComments(-1);
          say(commentStatus, t('project.comment.deleted'));
          form?.querySelector('textarea')?.focus();
        }),
      'button danger',
    );
    tools.replaceChildren(
      t('project.comment.delete.ask'),
      ' ',
      confirm,
      ' ',
      button(t('project.comment.keep'), cancel),
    );
    confirm.focus();
  }
  function edit(): void {
    const field = element('textarea', { value: text?.textContent ?? '', rows: 4, maxLength: COMMENT_MAX, dir: 'auto' });
    field.setAttribute('aria-label', t('project.comment.label'));
    const leave = (): void => {
      field.remove();
      if (text) text.hidden = false;
      cancel();
    };
    const save = button(
      t('project.comment.save'),
      () =>
        void run(item, problem, async () => {
          const saved = await asUser<Comment>('PUT', route, { content: field.value });
          if (!saved) return;
          if (text) text.textContent = saved.content;
          leave();
        }),
      'button primary',
    );
    if (text) text.hidden = true;
    text?.after(field);
    tools.replaceChildren(save, ' ', button(t('project.comment.cancel'), leave));
    field.focus();
  }
  item.append(problem, tools);
  showTools();
};

/** A comment as the page writes it. */
const itemOf = (comment: Comment, user: User | null): HTMLElement => {
  const { name, role } = comment.user;
  const item = element(
    'li',
    { className: 'comment', id: comment.id },
    element(
      'p',
      { className: 'comment-head' },
      element('strong', { dir: 'auto' }, name ?? t('project.comments.someone')),
      ...(role === 'user' ? [] : [element('span', { className: 'badge accent' }, t('project.comments.team'))]),
      element('time', { className: 'soft', dateTime: comment.created_at }, date.format(new Date(comment.created_at))),
    ),
    element('p', { className: 'prose plain', dir: 'auto' }, comment.content),
  );
  item.dataset.user = comment.user.id;
  item.dataset.created = comment.created_at;
  if (user) addTools(item, user);
  return item;
};

const field = form?.querySelector('textarea');
if (field && field.value === '') field.value = commentDraft.read() ?? '';
// It may have been written before this script ran.
else if (field) commentDraft.write(field.value);
field?.addEventListener('input', () => commentDraft.write(field.value));
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  void run(form, commentProblem, async () => {
    if (!field || field.value.trim() === '') return;
    say(commentStatus, '');
    const comment = await asUser<Comment>('POST', `${path}/comments`, { content: field.value });
    if (!comment) return;
    field.value = '';
    commentDraft.remove();
    comments?.prepend(itemOf(comment, await currentUser()));
    updateComments(1);
    say(commentStatus, t('project.comment.added'));
  });
});

const more = find<HTMLButtonElement>('[data-more-comments]');
/** As many as the page shows at first. */
const COMMENTS = 20;
more?.addEventListener('click', () => {
  void run(more, commentProblem, async () => {
    // Comments may have been added or deleted: those that are shown are left out.
    const page = Math.floor((comments?.childElementCount ?? 0) / COMMENTS) + 1;
    const response = await responseOf('GET', `${path}/comments?page=${page}&limit=${COMMENTS}`);
    const { data, meta } = (await response.json()) as { data: readonly Comment[]; meta: { hasMore: boolean } };
    const user = await currentUser().catch(() => null);
    const added = data.filter((one) => !document.getElementById(one.id)).map((one) => itemOf(one, user));
    comments?.append(...added);
    more.hidden = !meta.hasMore;
    for (const first of added.slice(0, 1)) {
      first.tabIndex = -1;
      first.focus();
    }
  });
});

const reportForm = find<HTMLFormElement>('[data-report-form]');
reportForm?.addEventListener('submit', (event) => {
  event.preventDefault();
  void run(reportForm, find('[data-report-problem]'), async () => {
    const { reason, details } = Object.fromEntries(new FormData(reportForm)) as Record<string, string>;
    const report = await asUser('POST', `${path}/report`, { reason, details: details?.trim() || null });
    if (!report) return;
    reportForm.hidden = true;
    say(find('[data-report-status]'), t('project.report.done'));
  });
});

const carryOut = async (wish: string | null): Promise<void> => {
  const [, value] = /^rate ([1-5])$/.exec(wish ?? '') ?? [];
  if (wish === 'vote' && vote) await run(vote, actionProblem, () => toggleVote(true));
  else if (wish === 'bookmark' && bookmark) await run(bookmark, actionProblem, () => toggleBookmark(true));
  else if (value !== undefined && rating) await run(rating, rateProblem, () => rate(Number(value)));
};

const showViewer = async (): Promise<void> => {
  const wish = intent.read();
  intent.remove();
  const user = await currentUser();
  if (!user) return;
  for (const item of comments?.querySelectorAll<HTMLElement>('.comment') ?? []) addTools(item, user);
  const { viewer } = await request<{ viewer?: Viewer }>('GET', path);
  press(vote, viewer?.upvoted ?? false);
  press(bookmark, viewer?.bookmarked ?? false);
  showRating(viewer?.rating ?? null);
  await carryOut(wish);
};

stopWaiting(article);
// The page reads without it; a click says what does not work.
showViewer().catch(() => undefined);
