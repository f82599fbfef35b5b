import { filtersOf } from '#contract/follows.ts';
import { useSite } from '../context.ts';
import type { Parameters } from '../list-query.ts';
import { waiting } from '../waiting.ts';
import { Icon } from './icons.tsx';

/** The filters among the parameters of a list; undefined when there are none. */
export const followedQuery = ({ sort: _sort, ...query }: Parameters): Parameters | undefined =>
  filtersOf(query).issues ? undefined : query;

/** Follows what the list shows. The island `follow` sends it. */
export const FollowForm = ({ query }: { readonly query: Parameters }) => {
  const { t, href } = useSite();
  return (
    <details class="follow needs-script" data-follow={JSON.stringify(query)}>
      <summary>
        <Icon name="plus" />
        {query.q === undefined ? t('list.follow') : t('list.follow.search')}
      </summary>
      <form>
        <fieldset>
          <legend>{t('list.follow.text')}</legend>
          {(['daily', 'weekly'] as const).map((frequency) => (
            <label key={frequency}>
              <input type="radio" name="frequency" value={frequency} defaultChecked={frequency === 'daily'} />
              {t(`list.follow.${frequency}`)}
            </label>
          ))}
        </fieldset>
        <p>
          <button type="submit" class="button primary" {...waiting}>
            {t('list.follow.submit')}
          </button>
          <span class="soft signed-out">{t('list.follow.signIn')}</span>
        </p>
      </form>
      <p class="problem" role="alert" hidden data-follow-problem />
      <p role="status" data-follow-status>
        <span hidden>
          {t('list.follow.done')} <a href={`${href('/me')}#follows`}>{t('list.follow.manage')}</a>
        </span>
      </p>
    </details>
  );
};
