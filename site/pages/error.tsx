import type { PageContext } from '../context.ts';
import type { Page } from '../page.ts';
import type { MessageKey } from '../translate.ts';

/** The statuses that have a text of their own. */
const TEXTS: Readonly<Record<number, '404' | '429' | '503'>> = { 404: '404', 429: '429', 503: '503', 504: '503' };

/**
 * The page of a failure.
 * @param listing the reference of the listing that has no page: the island `unlisted` shows it to its owner and the staff.
 */
export const errorPageOf = (status: number, { t, href }: PageContext, listing?: string): Page => {
  const kind = TEXTS[status] ?? '500';
  const title = t(`error.${kind}.title` satisfies MessageKey);
  const text = t(`error.${kind}.text` satisfies MessageKey);
  return {
    title,
    description: text,
    ...(listing !== undefined && {
      islands: ['search', 'unlisted'],
      messages: ['unlisted.', 'me.status.', 'me.rejected', 'project.', 'pricing.', 'field.', 'card.', 'nav.'],
    }),
    body: (
      <div class="width empty-state" data-unlisted={listing}>
        <p class="error-number" aria-hidden="true">
          {status}
        </p>
        <h1>{title}</h1>
        <p>{text}</p>
        <p>
          <a class="button primary" href={href('/')}>
            {t('error.home')}
          </a>
        </p>
      </div>
    ),
  };
};
