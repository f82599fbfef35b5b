import { useSite } from '../context.ts';

/** The numbers to show around a page: the first, the last, and the neighbours; 0 for a gap. */
const shownPages = (page: number, last: number): number[] => {
  const near = [1, page - 1, page, page + 1, last].filter((one) => one >= 1 && one <= last);
  const sorted = [...new Set(near)].toSorted((a, b) => a - b);
  return sorted.flatMap((one, index) => (index > 0 && one - (sorted[index - 1] ?? 0) > 1 ? [0, one] : [one]));
};

/**
 * The links between the pages of a list.
 * @param pathOf the path and query of a page by its number.
 * @param isFollowed whether search engines may follow the links.
 */
export const Pagination = ({
  page,
  last,
  pathOf,
  isFollowed,
}: {
  readonly page: number;
  readonly last: number;
  readonly pathOf: (page: number) => string;
  readonly isFollowed: boolean;
}) => {
  const { t, href, number } = useSite();
  if (last <= 1) return null;
  const rel = isFollowed ? '' : ' nofollow';
  return (
    <nav class="pagination" aria-label={t('pagination.label')}>
      {page > 1 && (
        <a class="button" rel={`prev${rel}`} href={href(pathOf(page - 1))}>
          {t('pagination.previous')}
        </a>
      )}
      <ol>
        {shownPages(page, last).map((one, index) => (
          <li key={one === 0 ? `gap-${index}` : one}>
            {one === 0 ? (
              <span aria-hidden="true">…</span>
            ) : (
              <a
                class="page-link"
                href={href(pathOf(one))}
                aria-label={t('pagination.page', { page: one })}
                aria-current={one === page ? 'page' : undefined}
                rel={isFollowed ? undefined : 'nofollow'}
              >
                {number(one)}
              </a>
            )}
          </li>
        ))}
      </ol>
      {page < last && (
        <a class="button" rel={`next${rel}`} href={href(pathOf(page + 1))}>
          {t('pagination.next')}
        </a>
      )}
    </nav>
  );
};
