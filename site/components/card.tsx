import type { Project } from '#contract/projects.ts';
import { useSite } from '../context.ts';
import { shownImage } from '../images.ts';
import { CardFields } from './custom-fields.tsx';
import { Icon } from './icons.tsx';
import { Logo } from './logo.tsx';

export const projectPath = ({ slug }: Pick<Project, 'slug'>): string => `/projects/${slug}`;

export const categoryPath = (slug: string): string => `/categories/${slug}`;

/** The names of categories by slug. */
export type CategoryNames = ReadonlyMap<string, string>;

export const categoryNames = (categories: readonly { readonly slug: string; readonly name: string }[]): CategoryNames =>
  new Map(categories.map(({ slug, name }) => [slug, name]));

const Figures = ({ project }: { readonly project: Project }) => {
  const { t, number } = useSite();
  return (
    <p class="figures">
      <span class="figure" title={t('card.votes', { count: project.upvote_count })}>
        <Icon name="up" />
        <span aria-hidden="true">{number(project.upvote_count)}</span>
        <span class="visually-hidden">{t('card.votes', { count: project.upvote_count })}</span>
      </span>
      {project.ratings_count > 0 && (
        <span class="figure">
          <Icon name="star" filled />
          <span aria-hidden="true">
            {number(project.average_rating)} <span class="soft">({number(project.ratings_count)})</span>
          </span>
          <span class="visually-hidden">
            {t('card.rating', { rating: project.average_rating, count: project.ratings_count })}
          </span>
        </span>
      )}
      {project.comments_count > 0 && (
        <span class="figure">
          <Icon name="comment" />
          <span aria-hidden="true">{number(project.comments_count)}</span>
          <span class="visually-hidden">{t('card.comments', { count: project.comments_count })}</span>
        </span>
      )}
      {project.address_city !== null && project.address_city !== '' && (
        <span class="figure place" dir="auto">
          <Icon name="place" />
          {project.address_city}
        </span>
      )}
    </p>
  );
};

/** A listing in a grid. The link of its name covers the card. */
export const Card = ({
  project,
  categories,
  heading: Heading = 'h2',
  promoted = false,
}: {
  readonly project: Project;
  readonly categories: CategoryNames;
  readonly heading?: 'h2' | 'h3';
  readonly promoted?: boolean;
}) => {
  const { t, href, settings, origin } = useSite();
  const { showLogo, showImage } = settings.layout.card;
  const image = showImage ? shownImage(project.screenshots[0] ?? null, origin) : undefined;
  const [category = ''] = project.categories;
  return (
    <article class={promoted ? 'card promoted' : 'card'}>
      {showImage && (
        <div class="card-image">
          {image !== undefined && (
            <img
              src={image}
              alt=""
              width="640"
              height="360"
              loading="lazy"
              decoding="async"
              referrerpolicy="no-referrer"
            />
          )}
        </div>
      )}
      <header class="card-head">
        {showLogo && <Logo url={project.logo_url} name={project.name} />}
        <div class="card-title">
          <Heading>
            <a class="cover" href={href(projectPath(project))} dir="auto">
              {project.name}
            </a>
          </Heading>
          <p class="card-meta">
            {promoted && <span class="badge accent">{t('card.promoted')}</span>}
            <span class="badge">{t(`pricing.${project.pricing_type}`)}</span>
            {categories.has(category) && (
              <a class="card-category" href={href(categoryPath(category))} dir="auto">
                {categories.get(category)}
              </a>
            )}
          </p>
        </div>
      </header>
      <p class="card-text" dir="auto">
        {project.description}
      </p>
      <CardFields project={project} />
      <Figures project={project} />
    </article>
  );
};

/** A listing in a ranked list, with its votes at the end. */
export const Row = ({ project, categories }: { readonly project: Project; readonly categories: CategoryNames }) => {
  const { t, href, number } = useSite();
  const names = project.categories.flatMap((slug) => categories.get(slug) ?? []).slice(0, 2);
  return (
    <li class="listing-row">
      <Logo url={project.logo_url} name={project.name} eager />
      <div class="row-text">
        <h3>
          <a class="cover" href={href(projectPath(project))} dir="auto">
            {project.name}
          </a>
        </h3>
        <p class="row-description" dir="auto">
          {project.description}
        </p>
        <p class="row-meta">
          <span>{t(`pricing.${project.pricing_type}`)}</span>
          {names.map((name) => (
            <span key={name}>
              <bdi>{name}</bdi>
            </span>
          ))}
        </p>
      </div>
      <p class="votes">
        <Icon name="up" />
        <span aria-hidden="true">{number(project.upvote_count)}</span>
        <span class="visually-hidden">{t('card.votes', { count: project.upvote_count })}</span>
      </p>
    </li>
  );
};
