import type { LoadPage } from '../page.ts';

/** What belongs to the signed-in user: profile, listings, bookmarks, and their data. The island `me` reads and shows it. */
export const mePage: LoadPage = async ({ site }) => {
  const { t, href, name } = site;
  return {
    title: t('me.title'),
    description: t('me.description', { name }),
    islands: ['search', 'me'],
    messages: ['me.', 'claim.', 'pricing.', 'submit.title', 'submit.unnamed'],
    body: (
      <div class="width page account-page">
        <h1>{t('me.title')}</h1>
        <p class="notice no-script">{t('me.script')}</p>
        <div class="notice needs-script signed-out">
          <p>{t('me.signedOut')}</p>
          <p>
            <a class="button primary" href={href('/sign-in')} data-sign-in-link>
              {t('nav.signIn')}
            </a>
          </p>
        </div>
        <div class="signed-in needs-script" data-me>
          <p class="soft" role="status">
            {t('me.loading')}
          </p>
        </div>
      </div>
    ),
  };
};
