import type { LoadPage } from '../page.ts';
import { waiting } from '../waiting.ts';

/** The kinds of users of the local issuer. */
const localUsers = ['administrator', 'moderator', 'user'] as const;

/** The issuer of the machine that the service runs on signs in without a password. */
const isLocal = (issuer: string): boolean => /^http:\/\/localhost:\d+\/_local$/.test(issuer);

/**
 * Signs in at the issuer, and returns to where the visitor came from. The island `sign-in` does all of it, and enables
 * the buttons: a click before it runs would be lost.
 */
export const signInPage: LoadPage = async ({ site }) => {
  const { t, href, name, settings } = site;
  const { sign_in } = settings;
  const isAvailable = sign_in?.issuer !== undefined && sign_in.issuer !== '' && sign_in.client_id !== null;
  return {
    title: t('signIn.title'),
    description: t('signIn.description', { name }),
    islands: ['search', ...(isAvailable ? (['sign-in'] as const) : [])],
    messages: ['signIn.'],
    body: (
      <div class="width page narrow-page">
        <section class="panel" data-sign-in-area={isAvailable ? JSON.stringify(sign_in) : undefined}>
          <h1>{t('signIn.title')}</h1>
          <p class="soft">{t('signIn.why')}</p>
          <p class="notice bad" role="alert" hidden data-alert />
          {isAvailable ? (
            <>
              <div class="notice" hidden data-signed-in>
                <p data-signed-in-text dir="auto" />
                <p>
                  <a href={href('/')} data-continue>
                    {t('signIn.continue')}
                  </a>
                </p>
              </div>
              <div class="buttons needs-script">
                {isLocal(sign_in.issuer) ? (
                  localUsers.map((user) => (
                    <button key={user} type="button" class="button" {...waiting} data-sign-in={user}>
                      {t(`signIn.as.${user}`)}
                    </button>
                  ))
                ) : (
                  <button type="button" class="button primary" {...waiting} data-sign-in="">
                    {t('signIn.submit')}
                  </button>
                )}
              </div>
              {isLocal(sign_in.issuer) && <p class="soft small">{t('signIn.local')}</p>}
              <p class="notice no-script">{t('signIn.script')}</p>
            </>
          ) : (
            <p class="notice">{t('signIn.off')}</p>
          )}
          <p class="soft" role="status" data-status />
        </section>
      </div>
    ),
  };
};
