import { renderToString } from 'preact-render-to-string';
import type {
  AggregateRating,
  LocalBusiness,
  Organization,
  Product,
  SoftwareApplication,
  WithContext,
} from 'schema-dts';
import type { Project } from '#contract/projects.ts';
import type { Site } from '#contract/settings.ts';
import { environment } from '#platform/environment.ts';
import { listCategories } from '#services/categories/read.ts';
import { getProject, storedProjectView } from '#services/projects/read.ts';
import { relatedListings } from '#services/projects/related.ts';
import { isPromoted } from '#services/promotions/list.ts';
import { commentsOnProject } from '#services/reactions/comments.ts';
import { BadgeCode } from '../components/badge-code.tsx';
import { categoryNames, categoryPath, projectPath } from '../components/card.tsx';
import { DESCRIPTION_REL, Listing } from '../components/listing.tsx';
import { PlaceMap } from '../components/place-map.tsx';
import type { PageContext } from '../context.ts';
import { shownImage } from '../images.ts';
import { htmlOf } from '../markdown.ts';
import type { LoadPage } from '../page.ts';
import { breadcrumbs } from '../structured-data.ts';

const COMMENTS = 20;
const RELATED = 6;

/** The relation of links to listed sites: paid ones are `sponsored`. */
const relOf = (project: Project, hasPromotion: boolean): string =>
  project.plan === 'premium' || hasPromotion ? 'sponsored nofollow ugc noopener' : DESCRIPTION_REL;

type Described = SoftwareApplication | LocalBusiness | Product | Organization;

/** The listing for search engines; the rating only when there is one. */
const structuredListing = (
  { address }: PageContext,
  project: Project,
  type: Site['listing_type'],
  image: string | undefined,
): WithContext<Described> => {
  const rating: AggregateRating | undefined =
    project.ratings_count > 0
      ? {
          '@type': 'AggregateRating',
          ratingValue: project.average_rating,
          ratingCount: project.ratings_count,
          bestRating: 5,
          worstRating: 1,
        }
      : undefined;
  const described = {
    '@context': 'https://schema.org' as const,
    '@type': type,
    name: project.name,
    description: project.description,
    url: address(projectPath(project)),
    sameAs: project.url,
    ...(image !== undefined && { image }),
    ...(project.pricing_type === 'free' && { offers: { '@type': 'Offer', price: 0, priceCurrency: 'USD' } }),
    ...(rating && { aggregateRating: rating }),
  };
  return described as WithContext<Described>;
};

/** The badge of a listing for its own site. */
const badgeOf = ({ address, root, origin, name }: PageContext, { slug }: Project) => {
  const src = root(`/badges/${slug}.svg`);
  const code = renderToString(
    <a href={address(projectPath({ slug }))}>
      <img src={`${origin}${src}`} alt={name} height={20} />
    </a>,
  );
  return <BadgeCode src={src} code={code} />;
};

/** A listing. An earlier slug and the id lead to its present slug. @throws 404 unless it is live. */
export const projectPage: LoadPage = async ({ params, site }) => {
  const { t, settings } = site;
  const reference = params.project ?? '';
  const stored = await getProject(undefined, reference);
  const path = projectPath(stored.project);
  if (stored.project.slug !== reference) return { movedTo: path };
  const { features } = environment();
  const [project, categoryList, related, comments, promoted] = await Promise.all([
    storedProjectView(stored, undefined),
    listCategories(),
    features.search ? relatedListings(stored.project, RELATED) : undefined,
    features.comments ? commentsOnProject(stored, { page: 1, limit: COMMENTS }) : undefined,
    features.promotions && isPromoted(stored.project.id),
  ]);
  const categories = categoryNames(categoryList.body().data);
  const [first = ''] = project.categories;
  const firstName = categories.get(first);
  const { latitude, longitude } = project;
  const image = shownImage(project.screenshots[0] ?? project.logo_url, site.origin);
  return {
    title: project.name,
    description: project.description,
    canonical: path,
    kind: 'article',
    ...(image !== undefined && { image }),
    islands: ['search', 'listing', ...(features.claims ? ['claim' as const] : [])],
    messages: ['project.', ...(features.claims ? ['claim.'] : [])],
    structuredData: [
      breadcrumbs(site, [
        ...(firstName === undefined
          ? ([[t('nav.projects'), '/projects']] as const)
          : ([
              [t('nav.categories'), '/categories'],
              [firstName, categoryPath(first)],
            ] as const)),
        [project.name, path],
      ]),
      structuredListing(site, project, settings.site?.listing_type ?? 'SoftwareApplication', image),
    ],
    body: (
      <Listing
        project={project}
        categories={categories}
        about={project.long_description === null ? null : htmlOf(project.long_description, DESCRIPTION_REL, 2)}
        rel={relOf(project, promoted)}
        comments={comments}
        related={related}
        {...(settings.map &&
          latitude !== null &&
          longitude !== null && { map: <PlaceMap place={[longitude, latitude]} outlines={site.asset('land.svg')} /> })}
        {...(features.feeds && { badge: badgeOf(site, project) })}
      />
    ),
  };
};
