import { useSite } from '../context.ts';
import { Icon } from './icons.tsx';

/** A form that works without script; the island `search` adds suggestions to it. */
export const SearchForm = ({ q = '', isLarge = false }: { readonly q?: string; readonly isLarge?: boolean }) => {
  const { t, href, settings } = useSite();
  const hasWords = settings.features.includes('search');
  return (
    <search class={isLarge ? 'search-area large' : 'search-area'}>
      <form class={isLarge ? 'search large' : 'search'} action={href('/projects')} method="get">
        <Icon name="search" />
        <input
          type="search"
          name="q"
          value={q}
          maxLength={100}
          autocomplete="off"
          aria-label={t('search.label')}
          placeholder={t('search.placeholder')}
        />
        {hasWords && <input type="hidden" name="match" value="fuzzy" />}
        {hasWords && <input type="hidden" name="sort" value="relevance" />}
        <button type="submit" class={isLarge ? 'button primary' : 'button'}>
          {isLarge ? t('search.submit') : <Icon name="search" />}
          {!isLarge && <span class="visually-hidden">{t('search.submit')}</span>}
        </button>
      </form>
    </search>
  );
};
