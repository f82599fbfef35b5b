// A listing that is not public, as its page will be. Loaded when it is needed: it reads Markdown.

import type { CustomValue } from '#contract/custom-fields.ts';
import type { Project } from '#contract/projects.ts';
import { categoryNames } from '../components/card.tsx';
import { DESCRIPTION_REL, Listing } from '../components/listing.tsx';
import { SiteProvider } from '../context.ts';
import { htmlOf } from '../markdown.ts';
import type { Content } from './draft.ts';
import type { ShownData } from './page-data.ts';
import { siteOf } from './site.ts';

const NO_COMMENTS = { data: [], meta: { total: 0, hasMore: false } };

export const ShownListing = ({ project, data }: { readonly project: Project; readonly data: ShownData }) => (
  <SiteProvider value={siteOf(data)}>
    <Listing
      project={project}
      categories={categoryNames(data.categories)}
      about={project.long_description === null ? null : htmlOf(project.long_description, DESCRIPTION_REL, 2)}
      comments={data.settings.features.includes('comments') ? NO_COMMENTS : undefined}
      isPreview
    />
  </SiteProvider>
);

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** The listing that a submission of the content would become. */
export const projectOf = (content: Content, unnamed: string): Project => {
  const at = new Date().toISOString();
  return {
    id: '',
    slug: textOf(content.slug) ?? '',
    plan: content.plan === 'premium' ? 'premium' : 'standard',
    name: textOf(content.name) ?? unnamed,
    url: URL.parse(String(content.url))?.href ?? 'https://example.com/',
    description: textOf(content.description) ?? '',
    long_description: textOf(content.long_description),
    categories: listOf(content.categories),
    spheres: [],
    tags: listOf(content.tags),
    logo_url: textOf(content.logo_url),
    screenshots: listOf(content.screenshots),
    video_url: textOf(content.video_url),
    pricing_type:
      content.pricing_type === 'paid' || content.pricing_type === 'freemium' ? content.pricing_type : 'free',
    status: 'pending',
    owner_id: '',
    upvote_count: 0,
    average_rating: 0,
    ratings_count: 0,
    weighted_rating: 0,
    comments_count: 0,
    views_count: 0,
    latitude: numberOf(content.latitude),
    longitude: numberOf(content.longitude),
    address_city: textOf(content.address_city),
    address_country: textOf(content.address_country),
    fields: (content.fields ?? {}) as Record<string, CustomValue>,
    created_at: at,
    updated_at: at,
    published_at: textOf(content.publish_at) ?? at,
    deleted_at: null,
  };
};
