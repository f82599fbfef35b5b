import type { Collection } from '#contract/collections.ts';
import { environment } from '#platform/environment.ts';
import { getCollection } from '#services/collections.ts';
import { notFound } from '#shared/errors.ts';
import { useSite } from '../context.ts';
import { ownHtmlOf } from '../markdown.ts';
import type { LoadPage } from '../page.ts';
import { listPage } from './projects.tsx';

export const collectionPath = (slug: string): string => `/collections/${slug}`;

/** A collection as a tile, whose link covers it. */
export const CollectionTile = ({ collection }: { readonly collection: Collection }) => {
  const { t, href, number } = useSite();
  const { slug, title, project_count: count } = collection;
  return (
    <li class="tile">
      <h3>
        <a class="cover" href={href(collectionPath(slug))} dir="auto">
          {title}
        </a>
      </h3>
      <span class="tile-count">
        <span aria-hidden="true">{number(count)}</span>
        <span class="visually-hidden">{t('list.count', { count })}</span>
      </span>
    </li>
  );
};

/** The listings of a public collection, at first in its order. An earlier slug and an id lead to its present slug. @throws 404 */
export const collectionPage: LoadPage = async (request) => {
  const { params, site } = request;
  if (!environment().features.collections) throw notFound();
  const reference = params.collection ?? '';
  const { slug, title, description, project_ids } = await getCollection(undefined, reference);
  const path = collectionPath(slug);
  if (slug !== reference) return { movedTo: path };
  return await listPage(request, {
    path,
    title,
    description: (count) => site.t('collection.description', { title, name: site.name, count }),
    breadcrumbs: [[title, path]],
    among: { ids: project_ids, empty: site.t('collection.empty') },
    ...(description !== null && {
      lead: <div class="prose" dir="auto" dangerouslySetInnerHTML={{ __html: ownHtmlOf(description) }} />,
    }),
  });
};
