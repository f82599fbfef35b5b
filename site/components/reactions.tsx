import type { Comment } from '#contract/comments.ts';
import { limits } from '#contract/settings.ts';
import { useSite } from '../context.ts';
import { waiting } from '../waiting.ts';
import { Icon } from './icons.tsx';

// What visitors do with a listing. The island `listing` makes these controls work; without script they are not shown.

/** The votes as a button, and as a number where no script runs. */
export const VoteButton = ({ count }: { readonly count: number }) => {
  const { t, number } = useSite();
  return (
    <>
      <span class="button vote no-script">
        <Icon name="up" />
        <span>{number(count)}</span>
        <span class="visually-hidden">{t('project.votes')}</span>
      </span>
      <button type="button" class="button vote needs-script" aria-pressed="false" {...waiting} data-vote>
        <Icon name="up" />
        {t('project.vote')}
        <span class="vote-count">
          <span class="visually-hidden">{t('project.votes')}: </span>
          <span data-votes>{number(count)}</span>
        </span>
      </button>
    </>
  );
};

export const BookmarkButton = () => {
  const { t } = useSite();
  return (
    <button type="button" class="button bookmark needs-script" aria-pressed="false" {...waiting} data-bookmark>
      <Icon name="bookmark" />
      {t('project.bookmark')}
    </button>
  );
};

const RATINGS = [1, 2, 3, 4, 5] as const;

export const RatingControl = () => {
  const { t } = useSite();
  return (
    <fieldset class="rate needs-script" aria-labelledby="own-rating">
      <span id="own-rating">{t('project.rate')}</span>
      <span class="rate-stars">
        {RATINGS.map((rating) => (
          <button
            key={rating}
            type="button"
            aria-pressed="false"
            aria-label={t('project.rate.one', { rating })}
            {...waiting}
            data-rate={rating}
          >
            <Icon name="star" />
          </button>
        ))}
      </span>
      <button type="button" class="link-button" hidden data-unrate>
        {t('project.rate.remove')}
      </button>
      <p class="problem" role="alert" hidden data-rate-problem />
    </fieldset>
  );
};

export const CommentForm = () => {
  const { t } = useSite();
  return (
    <form class="comment-form needs-script" data-comment-form>
      <label for="comment">{t('project.comment.label')}</label>
      <textarea id="comment" name="content" rows={3} maxLength={limits.comment_length_max} required dir="auto" />
      <p class="problem" role="alert" hidden data-comment-problem />
      <p class="form-end">
        <button type="submit" class="button primary" {...waiting}>
          {t('project.comment.submit')}
        </button>
        <span class="soft signed-out">{t('project.comment.signIn')}</span>
        <span class="soft" role="status" data-comment-status />
      </p>
    </form>
  );
};

export const CommentItem = ({ comment }: { readonly comment: Comment }) => {
  const { t, date } = useSite();
  const name = comment.user.name ?? t('project.comments.someone');
  return (
    <li class="comment" id={comment.id} data-user={comment.user.id} data-created={comment.created_at}>
      <p class="comment-head">
        <strong dir="auto">{name}</strong>
        {comment.user.role !== 'user' && <span class="badge accent">{t('project.comments.team')}</span>}
        <time class="soft" dateTime={comment.created_at}>
          {date(comment.created_at)}
        </time>
      </p>
      <p class="prose plain" dir="auto">
        {comment.content}
      </p>
    </li>
  );
};

/** As moderators read them, whatever the language of the page. */
const REASONS = ['spam', 'broken', 'wrong', 'duplicate', 'offensive', 'other'] as const;

export const ReportForm = () => {
  const { t } = useSite();
  return (
    <details class="report needs-script" data-report>
      <summary>
        <Icon name="flag" />
        {t('project.report')}
      </summary>
      <form data-report-form>
        <label for="report-reason">{t('project.report.reason')}</label>
        <select id="report-reason" name="reason">
          {REASONS.map((reason) => (
            <option key={reason} value={reason}>
              {t(`project.report.${reason}`)}
            </option>
          ))}
        </select>
        <label for="report-details">{t('project.report.details')}</label>
        <textarea id="report-details" name="details" rows={3} maxLength={2000} dir="auto" />
        <p class="problem" role="alert" hidden data-report-problem />
        <button type="submit" class="button" {...waiting}>
          {t('project.report.submit')}
        </button>
      </form>
      <p role="status" data-report-status />
    </details>
  );
};

/** The island `claim` fills it when it is opened. */
export const ClaimBox = () => {
  const { t } = useSite();
  return (
    <details class="report claim needs-script" data-claim>
      <summary>
        <Icon name="flag" />
        {t('claim.title')}
      </summary>
      <div data-claim-form />
    </details>
  );
};
