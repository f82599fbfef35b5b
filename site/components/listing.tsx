import type { ComponentChild } from 'preact';
import { joinWithCommas } from '#contract/comma-list.ts';
import type { Comment } from '#contract/comments.ts';
import type { PageMeta } from '#contract/fields.ts';
import type { Project } from '#contract/projects.ts';
import { useSite } from '../context.ts';
import { hostOf } from '../host.ts';
import { shownImage } from '../images.ts';
import { waiting } from '../waiting.ts';
import { Card, type CategoryNames, categoryPath } from './card.tsx';
import { FieldFacts } from './custom-fields.tsx';
import { Icon } from './icons.tsx';
import { Logo } from './logo.tsx';
import {
  BookmarkButton,
  ClaimBox,
  CommentForm,
  CommentItem,
  RatingControl,
  ReportForm,
  VoteButton,
} from './reactions.tsx';

const RATING_STEPS = [1, 2, 3, 4, 5] as const;

const Stars = ({ value }: { readonly value: number }) => (
  <span class="stars" aria-hidden="true">
    {RATING_STEPS.map((step) => (
      <Icon key={step} name="star" filled={value >= step - 0.5} />
    ))}
  </span>
);

const Facts = ({ project, categories }: { readonly project: Project; readonly categories: CategoryNames }) => {
  const { t, href, date } = useSite();
  const place = [project.address_city, project.address_country].filter(Boolean).join(', ');
  const known = project.categories.filter((slug) => categories.has(slug));
  return (
    <dl class="facts">
      <dt>{t('project.price')}</dt>
      <dd>{t(`pricing.${project.pricing_type}`)}</dd>
      {known.length > 0 && (
        <>
          <dt>{t('project.categories')}</dt>
          <dd class="chips">
            {known.map((slug) => (
              <a key={slug} class="chip" href={href(categoryPath(slug))} dir="auto">
                {categories.get(slug)}
              </a>
            ))}
          </dd>
        </>
      )}
      {project.tags.length > 0 && (
        <>
          <dt>{t('project.tags')}</dt>
          <dd class="chips">
            {project.tags.map((tag) => (
              <a
                key={tag}
                class="chip"
                href={href(`/projects?${new URLSearchParams({ tag: joinWithCommas([tag]) }).toString()}`)}
                rel="nofollow"
                dir="auto"
              >
                {tag}
              </a>
            ))}
          </dd>
        </>
      )}
      {place !== '' && (
        <>
          <dt>{t('project.place')}</dt>
          <dd dir="auto">{place}</dd>
        </>
      )}
      <FieldFacts project={project} />
      {project.published_at !== null && (
        <>
          <dt>{t('project.published')}</dt>
          <dd>
            <time dateTime={project.published_at}>{date(project.published_at)}</time>
          </dd>
        </>
      )}
    </dl>
  );
};

const Screenshots = ({ project }: { readonly project: Project }) => {
  const { t, origin } = useSite();
  const images = project.screenshots.flatMap((url) => shownImage(url, origin) ?? []);
  if (images.length === 0) return null;
  return (
    <section aria-label={t('project.screenshots')} class={images.length === 1 ? 'gallery single' : 'gallery'}>
      {images.map((url, index) => (
        <a key={url} href={url} target="_blank" rel="noopener noreferrer">
          <img
            src={url}
            alt={t('project.screenshot', { number: index + 1, name: project.name })}
            width="1280"
            height="720"
            loading={index === 0 ? 'eager' : 'lazy'}
            decoding="async"
            referrerpolicy="no-referrer"
          />
        </a>
      ))}
    </section>
  );
};

/** The relation of links to listed sites, and of those in the texts of users. */
export const DESCRIPTION_REL = 'nofollow ugc noopener';

/** The content of the page of a listing. A preview has the controls of visitors, but they do nothing. */
export const Listing = ({
  project,
  categories,
  about,
  rel = DESCRIPTION_REL,
  comments,
  related = [],
  isPreview = false,
  map,
  badge,
}: {
  readonly project: Project;
  readonly categories: CategoryNames;
  /** The HTML of the long description; null without one. */
  readonly about: string | null;
  /** The relation of the links to the listed site. */
  readonly rel?: string;
  /** The first page of the comments; undefined shows none. */
  readonly comments?:
    | { readonly data: readonly Comment[]; readonly meta: Pick<PageMeta, 'total' | 'hasMore'> }
    | undefined;
  readonly related?: readonly Project[] | undefined;
  readonly isPreview?: boolean;
  /** Where it is. */
  readonly map?: ComponentChild;
  readonly badge?: ComponentChild;
}) => {
  const { t, href, settings, number } = useSite();
  const { features } = settings;
  const { showLogo } = settings.layout.detail;
  const [first = ''] = project.categories;
  const firstName = categories.get(first);
  return (
    <article class="width listing" data-project={project.id} data-slug={project.slug}>
      <nav class="breadcrumbs" aria-label={t('project.breadcrumbs')}>
        <a href={href('/projects')}>{t('nav.projects')}</a>
        {firstName !== undefined && (
          <a href={href(categoryPath(first))}>
            <span dir="auto">{firstName}</span>
          </a>
        )}
      </nav>
      <header class="listing-head">
        {showLogo && <Logo url={project.logo_url} name={project.name} size={96} eager />}
        <div class="listing-title">
          <h1 dir="auto">{project.name}</h1>
          <p class="lead" dir="auto">
            {project.description}
          </p>
          <p class="figures large">
            {project.ratings_count > 0 ? (
              <a class="figure" href="#ratings">
                <Stars value={project.average_rating} />
                <span>{t('card.rating', { rating: project.average_rating, count: project.ratings_count })}</span>
              </a>
            ) : (
              <span class="figure soft">{t('project.unrated')}</span>
            )}
            {comments && (
              <a class="figure" href="#comments">
                {t('card.comments', { count: project.comments_count })}
              </a>
            )}
          </p>
        </div>
        <div class="listing-actions" inert={isPreview}>
          <a class="button primary" href={project.url} rel={rel} target="_blank" data-outbound>
            {t('project.visit')}
            <Icon name="arrow" />
          </a>
          <VoteButton count={project.upvote_count} />
          {features.includes('bookmarks') && <BookmarkButton />}
          <p class="problem" role="alert" hidden data-action-problem />
        </div>
      </header>
      <div class="listing-columns">
        <div class="listing-main">
          <Screenshots project={project} />
          {about !== null && (
            <section aria-labelledby="about">
              <h2 id="about" dir="auto">
                {t('project.about', { name: project.name })}
              </h2>
              <div class="prose" dir="auto" dangerouslySetInnerHTML={{ __html: about }} />
            </section>
          )}
          {project.video_url !== null && (
            <p>
              <a href={project.video_url} rel="nofollow ugc noopener" target="_blank">
                {t('project.video')}
              </a>
            </p>
          )}
          {features.includes('ratings') && (
            <section aria-labelledby="ratings" class="ratings">
              <h2 id="ratings">{t('project.ratings')}</h2>
              <p class="rating-summary">
                <strong class="rating-number" data-average>
                  {project.ratings_count > 0 ? number(project.average_rating) : '–'}
                </strong>
                <span data-average-stars>
                  <Stars value={project.average_rating} />
                </span>
                <span class="soft" data-ratings>
                  {t('project.ratings.count', { count: project.ratings_count })}
                </span>
              </p>
              <div inert={isPreview}>
                <RatingControl />
              </div>
            </section>
          )}
          {comments && (
            <section aria-labelledby="comments">
              <h2 id="comments" data-comments-count={comments.meta.total}>
                {t('project.comments', { count: comments.meta.total })}
              </h2>
              <div inert={isPreview}>
                <CommentForm />
              </div>
              <p class="soft" hidden={comments.data.length > 0} data-empty>
                {t('project.comments.none')}
              </p>
              <ol class="comments" data-comments>
                {comments.data.map((comment) => (
                  <CommentItem key={comment.id} comment={comment} />
                ))}
              </ol>
              {comments.meta.hasMore && (
                <button type="button" class="button needs-script" {...waiting} data-more-comments>
                  {t('project.comments.more')}
                </button>
              )}
            </section>
          )}
        </div>
        <aside class="listing-side" aria-label={t('project.facts')}>
          <p class="site-link">
            <a href={project.url} rel={rel} target="_blank" data-outbound dir="ltr">
              {hostOf(project.url)}
            </a>
          </p>
          {map}
          <Facts project={project} categories={categories} />
          {badge}
          {!isPreview && features.includes('claims') && <ClaimBox />}
          {!isPreview && <ReportForm />}
        </aside>
      </div>
      {related.length > 0 && (
        <section aria-labelledby="related" class="related">
          <h2 id="related">{t('project.related')}</h2>
          <div class="cards">
            {related.map((one) => (
              <Card key={one.id} project={one} categories={categories} heading="h3" />
            ))}
          </div>
        </section>
      )}
    </article>
  );
};
