// What a payment has led to, for its buyer.

import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Checkout } from '#contract/payments.ts';
import { Problem } from '../browser/action.tsx';
import { baseUrl, homeUrl, request } from '../browser/api.ts';
import { t } from '../browser/messages.ts';
import { localAddress } from '../browser/return-to.ts';
import { currentUser } from '../browser/session.ts';
import { languageOfPayment } from '../browser/storage.ts';
import { Submitted } from '../browser/submitted.tsx';

/** How often a payment that is not confirmed yet is asked for, and after which pauses, in milliseconds. */
const PAUSES_MS = [500, 1000, 2000, 3000, 5000, 5000, 10_000, 10_000] as const;

const isSettled = ({ status }: Checkout): boolean => status !== 'open' && status !== 'paid';

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const Success = ({ checkout }: { readonly checkout: Checkout }) => {
  if (!isSettled(checkout)) return <p role="status">{t('checkout.confirming')}</p>;
  if (checkout.status !== 'fulfilled') return <p role="status">{t(`checkout.${checkout.status as 'expired'}`)}</p>;
  if (checkout.kind === 'submission' && checkout.project) return <Submitted project={checkout.project} />;
  return <p role="status">{t(checkout.kind === 'upgrade' ? 'checkout.upgrade' : 'checkout.promotion')}</p>;
};

const Cancelled = ({ checkout }: { readonly checkout: Checkout }) => (
  <>
    {checkout.kind === 'submission' && <p>{t('checkout.draft')}</p>}
    {checkout.checkoutUrl !== null && (
      <p>
        <a class="button primary" href={checkout.checkoutUrl}>
          {t('checkout.payAgain')}
        </a>
      </p>
    )}
  </>
);

const Outcome = ({ id, outcome }: { readonly id: string; readonly outcome: string | undefined }) => {
  const [checkout, setCheckout] = useState<Checkout>();
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    const load = async (): Promise<void> => {
      if (!(await currentUser())) return;
      for (const wait of [...PAUSES_MS, undefined]) {
        const found = await request<Checkout>('GET', `/payments/checkouts/${encodeURIComponent(id)}`);
        setCheckout(found);
        if (outcome === 'cancel' || isSettled(found) || wait === undefined) return;
        await pause(wait);
      }
    };
    load().catch(setProblem);
  }, []);
  return (
    <>
      {checkout && (outcome === 'cancel' ? <Cancelled checkout={checkout} /> : <Success checkout={checkout} />)}
      <Problem error={problem} />
    </>
  );
};

const area = document.querySelector<HTMLElement>('[data-checkout]');
const id = new URLSearchParams(location.search).get('checkout');
const home = languageOfPayment.read() ?? homeUrl;
languageOfPayment.remove();
if (area && home !== homeUrl) {
  location.replace(
    localAddress(`${home}/checkout/${area.dataset.checkout}${location.search}`, homeUrl, baseUrl, location.origin),
  );
} else if (area && id) render(<Outcome id={id} outcome={area.dataset.checkout} />, area);
