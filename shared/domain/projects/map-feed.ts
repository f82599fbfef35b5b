import type { ReadCatalog } from '#catalog/types.ts';
import { MAP_ITEMS_MAX, type MapItem } from '#contract/projects.ts';
import { averageRating } from './project.ts';

/** Every live project with coordinates, newest first, as the map wants it. */
export const mapFeed = (catalog: ReadCatalog): MapItem[] =>
  catalog.located(MAP_ITEMS_MAX).map(({ project, counts }) => ({
    id: project.id,
    name: project.name,
    slug: project.slug,
    logo_url: project.logo_url,
    categories: [...project.categories],
    pricing: project.pricing_type,
    plan: project.plan,
    average_rating: averageRating(counts),
    ratings_count: counts.ratings_count,
    latitude: project.latitude as number,
    longitude: project.longitude as number,
    address_city: project.address_city ?? '',
    address_country: project.address_country ?? '',
  }));
