// A claim of a listing with its next steps, on the listing and on the page of the user.

import type { Claim } from '#contract/claims.ts';
import { Problem, useAction } from './action.tsx';
import { request } from './api.ts';
import { t } from './messages.ts';

const { lang } = document.documentElement;
const date = new Intl.DateTimeFormat(lang, { dateStyle: 'long' });
const time = new Intl.DateTimeFormat(lang, { timeStyle: 'medium' });

const FILE = '/.well-known/directory-verification.txt';

/** What has to be published so that the claim is proven. */
const Instructions = ({ method, proof }: Claim) => {
  if (!proof) return null;
  if (method === 'dns') {
    return (
      <>
        <p>{t('claim.dns')}</p>
        <dl class="claim-proof">
          <dt>{t('claim.dns.name')}</dt>
          <dd>
            <code dir="ltr">{proof.name}</code>
          </dd>
          <dt>{t('claim.dns.value')}</dt>
          <dd>
            <code dir="ltr">{proof.value}</code>
          </dd>
        </dl>
      </>
    );
  }
  return (
    <div class="claim-proof">
      <p>{t('claim.page')}</p>
      <p>
        <code dir="ltr">{`<meta name="${proof.name}" content="${proof.value}">`}</code>
      </p>
      <p>{t('claim.file', { path: FILE })}</p>
      <p>
        <code dir="ltr">{proof.value}</code>
      </p>
    </div>
  );
};

const resultOf = ({ last_check }: Claim): string => {
  if (!last_check) return '';
  return last_check.result === 'found'
    ? t('claim.found')
    : t(`claim.${last_check.result}`, { time: time.format(new Date(last_check.at)) });
};

/** The state of a claim in words, what to do next, and its buttons while it waits. */
export const ClaimSteps = ({
  claim,
  onChange,
}: {
  readonly claim: Claim;
  readonly onChange: (changed: Claim) => void;
}) => {
  const { isRunning, problem, run } = useAction();
  const { state, project, proof } = claim;
  const path = `/projects/${project.id}/claims/${claim.id}`;
  const isOpen = state === 'open' || state === 'proven';
  return (
    <div class="claim-steps">
      {state === 'open' && <Instructions {...claim} />}
      {(state === 'proven' || (state === 'open' && !proof)) && <p>{t('claim.waits')}</p>}
      {state === 'approved' && <p>{t('claim.done')}</p>}
      {state === 'withdrawn' && <p>{t('claim.withdrawn')}</p>}
      {claim.reason !== null && <p dir="auto">{t('claim.reason', { reason: claim.reason })}</p>}
      <p role="status">{isOpen ? resultOf(claim) : ''}</p>
      {isOpen && (
        <>
          <p class="soft">{t('claim.expires', { date: date.format(new Date(claim.expires_at)) })}</p>
          <Problem error={problem} />
          <p class="form-end">
            {state === 'open' && proof && (
              <button
                type="button"
                class="button primary"
                disabled={isRunning}
                onClick={() => void run(async () => onChange(await request<Claim>('POST', `${path}/verify`)))}
              >
                {t('claim.verify')}
              </button>
            )}
            <button
              type="button"
              class="button"
              disabled={isRunning}
              aria-label={t('claim.withdrawOne', { name: project.name })}
              onClick={() => void run(async () => onChange(await request<Claim>('DELETE', path)))}
            >
              {t('claim.withdraw')}
            </button>
          </p>
        </>
      )}
    </div>
  );
};
