// Claims a listing for the user who controls its site.

import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Claim } from '#contract/claims.ts';
import { Problem, useAction } from '../browser/action.tsx';
import { request } from '../browser/api.ts';
import { ClaimSteps } from '../browser/claims.tsx';
import { t } from '../browser/messages.ts';
import { currentUser, signInUrl } from '../browser/session.ts';

const id = document.querySelector<HTMLElement>('article[data-project]')?.dataset.project ?? '';
const box = document.querySelector<HTMLDetailsElement>('[data-claim]');
const place = box?.querySelector('[data-claim-form]');

const methods = ['mail', 'dns', 'page', 'manual'] as const;

const ClaimForm = ({ onClaim }: { readonly onClaim: (claim: Claim) => void }) => {
  const { isRunning, problem, run } = useAction();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const { method, message } = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement));
    const body = { method, message: String(message).trim() || null };
    void run(async () => onClaim(await request<Claim>('POST', `/projects/${id}/claims`, { body })));
  };
  return (
    <form onSubmit={submit}>
      <p>{t('claim.intro')}</p>
      <fieldset class="checks">
        <legend>{t('claim.method')}</legend>
        {methods.map((method) => (
          <label key={method}>
            <input type="radio" name="method" value={method} defaultChecked={method === 'mail'} />
            {t(`claim.method.${method}`)}
          </label>
        ))}
      </fieldset>
      <label for="claim-message">{t('claim.message')}</label>
      <textarea id="claim-message" name="message" rows={3} maxLength={1000} dir="auto" />
      <Problem error={problem} />
      <button type="submit" class="button" disabled={isRunning}>
        {t('claim.submit')}
      </button>
    </form>
  );
};

/** What there is to show: a form without an open claim, or a link to sign in. */
type Found = { readonly user: boolean; readonly claim?: Claim | undefined };

const find = async (): Promise<Found> => {
  if (!(await currentUser())) return { user: false };
  const claims = await request<readonly Claim[]>('GET', '/me/claims?limit=100');
  const isOpen = ({ project, state }: Claim) => project.id === id && (state === 'open' || state === 'proven');
  return { user: true, claim: claims.find(isOpen) };
};

const ClaimPart = () => {
  const [found, setFound] = useState<Found>();
  const { problem, run } = useAction();
  useEffect(() => void run(async () => setFound(await find())), []);
  if (!found) return <Problem error={problem} />;
  if (!found.user) {
    return (
      <p>
        <a class="button" href={signInUrl()}>
          {t('claim.signIn')}
        </a>
      </p>
    );
  }
  const show = (claim: Claim): void => setFound({ user: true, claim });
  return found.claim ? <ClaimSteps claim={found.claim} onChange={show} /> : <ClaimForm onClaim={show} />;
};

const showWhenOpen = (): void => {
  if (box?.open && place) render(<ClaimPart />, place);
};
box?.addEventListener('toggle', showWhenOpen);
// It may have been opened before this script ran.
showWhenOpen();
