import type { LoadPage } from '../page.ts';

/** Where the payment page returns to. The island `checkout` adds what belongs to the buyer. */
export const checkoutPage =
  (outcome: 'success' | 'cancel'): LoadPage =>
  async ({ site }) => {
    const { t, href, name } = site;
    const title = t(`checkout.${outcome}.title`);
    return {
      title,
      description: t('text.description', { title, name }),
      islands: ['search', 'checkout'],
      messages: ['checkout.', 'submit.done'],
      body: (
        <div class="width page narrow-page">
          <section class="panel">
            <h1>{title}</h1>
            <p>{t(`checkout.${outcome}.text`)}</p>
            <div data-checkout={outcome} />
            <p>
              <a class="button" href={href('/me')}>
                {t('nav.account')}
              </a>
            </p>
          </section>
        </div>
      ),
    };
  };
