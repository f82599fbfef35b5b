// The form of a submission: it keeps a draft, shows a preview, submits or leads to the payment, and says what happens next.

import { type ComponentChild, render } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Draft } from '#contract/drafts.ts';
import type { CheckoutStarted, Plan, Project } from '#contract/projects.ts';
import type { User } from '#contract/users.ts';
import { Problem, useAction } from '../browser/action.tsx';
import { homeUrl, pageUrl, RequestError, request, responseOf } from '../browser/api.ts';
import { type Content, type DraftKeeper, keepDraft, keptContent, type Report, sentContent } from '../browser/draft.ts';
import type { Problems } from '../browser/inputs.tsx';
import {
  Details,
  Essentials,
  Fields,
  focusFirst,
  nameOf,
  ProblemList,
  problemsIn,
  usePreview,
  withoutInput,
} from '../browser/listing-inputs.tsx';
import { fieldProblems, problemText, t } from '../browser/messages.ts';
import { pageData, type SubmitData } from '../browser/page-data.ts';
import { currentUser, signInUrl } from '../browser/session.ts';
import { languageOfPayment } from '../browser/storage.ts';
import { Submitted } from '../browser/submitted.tsx';

const data = pageData<SubmitData>();
const { features, limits, plans } = data.settings;
const parameters = new URLSearchParams(location.search);
const hasDrafts = features.includes('drafts');

const Plans = ({ value, onChange }: { readonly value: Plan; readonly onChange: (plan: Plan) => void }) => (
  <fieldset class="plans">
    <legend>{t('submit.plan')}</legend>
    {plans.map((plan) => (
      <label key={plan.id} class="plan">
        <input
          type="radio"
          name="plan"
          value={plan.id}
          checked={value === plan.id}
          onChange={() => onChange(plan.id)}
        />
        <span>
          <strong>{t(`submit.plan.${plan.id}`)}</strong> <span>{data.prices[plan.id]}</span>
          <span class="soft small plan-text">{t(`submit.plan.${plan.id}.text`)}</span>
        </span>
      </label>
    ))}
  </fieldset>
);

/** Repeats a submission whose answer was lost with the same key, so that it counts once. */
const keyFor = (() => {
  let known = { body: '', key: '' };
  return (body: string): string => {
    if (known.body !== body) {
      const random = crypto.getRandomValues(new Uint32Array(4));
      known = { body, key: [...random].map((part) => part.toString(16).padStart(8, '0')).join('') };
    }
    return known.key;
  };
})();

const Status = ({ report, user }: { readonly report: Report | undefined; readonly user: User | null }) => {
  const isHere = user === null || report?.state === 'local';
  const text =
    report && t(report.state === 'local' && !user ? 'submit.state.signedOut' : `submit.state.${report.state}`);
  return (
    <p class="soft" role="status">
      {text}
      {report?.error !== undefined && !(isHere && user === null) && report.state !== 'changed' && (
        <> {problemText(report.error)}</>
      )}
    </p>
  );
};

interface Start {
  readonly user: User | null;
  readonly content: Content;
  readonly draft: string | undefined;
  readonly etag: string | null;
  readonly problems: Draft['problems'];
  /** Whether the content is not on the account yet. */
  readonly isUnsaved: boolean;
}

const SubmitForm = ({ start, onDone }: { readonly start: Start; readonly onDone: (id: string) => void }) => {
  const { user } = start;
  const [content, setContent] = useState<Content>(start.content);
  const [found, setFound] = useState<Problems>(fieldProblems(start.problems));
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set(Object.keys(start.content)));
  const [hasTried, setTried] = useState(false);
  const [report, setReport] = useState<Report>();
  const { preview, open } = usePreview();
  const { isRunning, problem, run } = useAction();
  const form = useRef<HTMLFormElement>(null);
  const keeper = useMemo<DraftKeeper>(
    () =>
      keepDraft({
        id: start.draft,
        etag: start.etag,
        isSaving: hasDrafts && user !== null,
        report: (next) => {
          setReport(next);
          if (next.problems !== undefined) setFound(fieldProblems(next.problems));
        },
      }),
    [],
  );
  useEffect(() => {
    if (!start.isUnsaved) return;
    keeper.change(start.content);
    void keeper.flush();
  }, []);

  const plan: Plan = content.plan === 'premium' ? 'premium' : 'standard';
  const change = (name: string, value: unknown): void => {
    const next = { ...content, [name]: value };
    setContent(next);
    keeper.change(next);
  };
  const shown = Object.fromEntries(
    Object.entries(found).filter(([path]) => hasTried || touched.has(nameOf(path)) || path === ''),
  );
  const others = withoutInput(form.current, shown);

  const send = async (): Promise<void> => {
    await keeper.flush();
    const draftId = keeper.draftId();
    const body = { ...sentContent(content), ...(draftId !== undefined && { draft_id: draftId }) };
    const key = keyFor(JSON.stringify(body));
    const sent = await request<{ id: string } | CheckoutStarted>('POST', '/projects', {
      body,
      headers: { 'idempotency-key': key },
    });
    keeper.forget();
    if ('checkoutUrl' in sent) {
      languageOfPayment.write(homeUrl);
      location.assign(sent.checkoutUrl);
    } else onDone(sent.id);
  };

  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!user) {
      location.assign(signInUrl());
      return;
    }
    void run(async () => {
      try {
        await send();
      } catch (error) {
        const problems = problemsIn(error);
        if (!problems) throw error;
        setTried(true);
        setFound(problems);
        focusFirst(form.current, problems);
      }
    });
  };

  const openPreview = (): void => void run(() => open(content));

  /** The draft as it is on the account by now. */
  const reload = (): void => {
    keeper.forget();
    location.reload();
  };

  const isPaid = plan === 'premium';
  return (
    <>
      {preview}
      <form
        ref={form}
        class="panels"
        noValidate
        hidden={preview !== undefined}
        onSubmit={submit}
        onFocusOut={({ target }) => {
          const name = (target as HTMLElement).getAttribute('name');
          if (name) setTouched((known) => new Set([...known, name]));
        }}
      >
        {!user && (
          <p class="notice">
            {t('submit.signedOut')} <a href={signInUrl()}>{t('nav.signIn')}</a>
          </p>
        )}
        {user && !user.email_verified && limits.verified_email_required !== 'none' && (
          <p class="notice">{t('problem.unverified')}</p>
        )}
        {report?.state === 'changed' && (
          <div class="notice bad" role="alert">
            <p>{t('submit.changed')}</p>
            <p class="form-end">
              <button type="button" class="button" onClick={reload}>
                {t('submit.changed.load')}
              </button>
              <button type="button" class="button" onClick={() => void keeper.overwrite()}>
                {t('submit.changed.keep')}
              </button>
            </p>
          </div>
        )}
        <Plans value={plan} onChange={(value) => change('plan', value)} />
        <Essentials content={content} problems={shown} change={change} />
        <Fields content={content} problems={shown} change={change} />
        <Details content={content} problems={shown} change={change} />
        <div class="panel submit-end">
          <ProblemList isIncomplete={hasTried && Object.keys(shown).length > 0} others={others} />
          <Problem error={problem} />
          <p class="form-end">
            <button type="submit" class="button primary" disabled={isRunning}>
              {!user && t('submit.signIn')}
              {user && isPaid && t('submit.pay', { price: data.prices[plan] })}
              {user && !isPaid && t('submit.submit')}
            </button>
            <button type="button" class="button" disabled={isRunning} onClick={openPreview}>
              {t('submit.preview')}
            </button>
          </p>
          <p class="soft small">{t(isPaid ? 'submit.next.premium' : 'submit.next')}</p>
          <Status report={report} user={user} />
        </div>
      </form>
    </>
  );
};

const Done = ({ id }: { readonly id: string }) => {
  const [project, setProject] = useState<Project>();
  const { problem, run } = useAction();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
    void run(async () => setProject(await request<Project>('GET', `/projects/${encodeURIComponent(id)}`)));
  }, [id]);
  return (
    <section class="panel" aria-labelledby="done">
      <h2 id="done" tabIndex={-1} ref={heading}>
        {t('submit.done')}
      </h2>
      {project && <Submitted project={project} />}
      <Problem error={problem} />
      <p class="form-end">
        <a class="button primary" href={pageUrl('/me')}>
          {t('submit.done.me')}
        </a>
        <a class="button" href={pageUrl('/submit')}>
          {t('submit.done.another')}
        </a>
      </p>
    </section>
  );
};

const App = ({ start }: { readonly start: Start }) => {
  const [done, setDone] = useState<string>();
  if (done !== undefined) return <Done id={done} />;
  const finish = (id: string): void => {
    history.replaceState(null, '', `?${new URLSearchParams({ submitted: id }).toString()}`);
    setDone(id);
    scrollTo({ top: 0 });
  };
  return <SubmitForm start={start} onDone={finish} />;
};

const area = document.querySelector<HTMLElement>('[data-submit]');
const show = (element: ComponentChild): void => {
  if (!area) return;
  area.replaceChildren();
  render(element, area);
};

/** The draft of the address, with what this browser has typed since. */
const startOf = async (user: User | null, draft: string | undefined): Promise<Start> => {
  const kept = keptContent(draft);
  const base = { user, draft, etag: kept?.etag ?? null, problems: null };
  if (kept || draft === undefined || !user) {
    return { ...base, content: kept?.content ?? {}, isUnsaved: kept !== undefined };
  }
  const response = await responseOf('GET', `/me/drafts/${encodeURIComponent(draft)}`);
  const { data: read } = (await response.json()) as { data: Draft };
  return {
    ...base,
    etag: response.headers.get('etag'),
    content: read.content,
    problems: read.problems,
    isUnsaved: false,
  };
};

const start = async (): Promise<void> => {
  // Without an answer the form works as for visitors: it keeps the text in this browser.
  const user = await currentUser().catch(() => null);
  const edited = parameters.get('edit');
  if (edited !== null) {
    const { EditPage } = await import('../browser/edit-form.tsx');
    return show(<EditPage id={edited} user={user} />);
  }
  const submitted = parameters.get('submitted');
  if (submitted !== null && user) return show(<Done id={submitted} />);
  const draft = (hasDrafts && parameters.get('draft')) || undefined;
  try {
    show(<App start={await startOf(user, draft)} />);
  } catch (error) {
    const isGone = error instanceof RequestError && error.status === 404;
    show(
      <div class="panel">
        {isGone ? <p>{t('submit.gone')}</p> : <Problem error={error} />}
        <p class="form-end">
          <a class="button primary" href={pageUrl('/me')}>
            {t('submit.done.me')}
          </a>
          <a class="button" href={pageUrl('/submit')}>
            {t('submit.done.another')}
          </a>
        </p>
      </div>,
    );
  }
};

void start();
