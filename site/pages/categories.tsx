import { listCategories, resolveCategory } from '#services/categories/read.ts';
import { mustExist } from '#shared/errors.ts';
import { categoryPath } from '../components/card.tsx';
import { useSite } from '../context.ts';
import type { LoadPage } from '../page.ts';
import { breadcrumbs } from '../structured-data.ts';
import { listPage } from './projects.tsx';

type Category = ReturnType<Awaited<ReturnType<typeof listCategories>>['body']>['data'][number];

/** A category as a tile, whose link covers it. */
export const CategoryTile = ({
  category,
  heading: Heading,
}: {
  readonly category: Category;
  readonly heading: 'h2' | 'h3';
}) => {
  const { t, href, number } = useSite();
  const { slug, name, description, project_count: count } = category;
  return (
    <li class="tile">
      <Heading>
        <a class="cover" href={href(categoryPath(slug))} dir="auto">
          {name}
        </a>
      </Heading>
      <span class="tile-count">
        <span aria-hidden="true">{number(count)}</span>
        <span class="visually-hidden">{t('list.count', { count })}</span>
      </span>
      {description !== null && (
        <p class="soft" dir="auto">
          {description}
        </p>
      )}
    </li>
  );
};

/** All categories by sphere, in the order of the administrators. */
export const categoriesPage: LoadPage = async ({ site }) => {
  const { t, href } = site;
  const categories = (await listCategories()).body().data;
  const spheres = Map.groupBy(categories, ({ sphere }) => sphere);
  return {
    title: t('nav.categories'),
    description: t('categories.description', { count: categories.length }),
    canonical: '/categories',
    islands: ['search'],
    structuredData: [breadcrumbs(site, [[t('nav.categories'), '/categories']])],
    body: (
      <div class="width stack page">
        <h1>{t('nav.categories')}</h1>
        {categories.length === 0 && (
          <div class="empty-state">
            <p>{t('categories.empty')}</p>
            <p>
              <a href={href('/projects')}>{t('list.empty.clear')}</a>
            </p>
          </div>
        )}
        {[...spheres].map(([sphere, members]) => (
          <section key={sphere ?? ''}>
            {(sphere !== null || spheres.size > 1) && (
              <h2 class="section-title" dir="auto">
                {sphere ?? t('categories.other')}
              </h2>
            )}
            <ul class="tiles">
              {members.map((category) => (
                <CategoryTile
                  key={category.id}
                  category={category}
                  heading={spheres.size > 1 || sphere !== null ? 'h3' : 'h2'}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
    ),
  };
};

/** The listings of a category. The slug of a merged category, an earlier slug and an id lead to its present slug. @throws 404 */
export const categoryPage: LoadPage = async (request) => {
  const { params, site } = request;
  const { t } = site;
  const reference = params.category ?? '';
  const { slug, name, description } = mustExist(await resolveCategory(reference));
  const path = categoryPath(slug);
  if (slug !== reference) return { movedTo: path };
  return await listPage(request, {
    path,
    fixed: { category: slug },
    title: name,
    description: (count) => description ?? t('category.description', { name, count }),
    breadcrumbs: [
      [t('nav.categories'), '/categories'],
      [name, path],
    ],
    ...(description !== null && {
      lead: (
        <p class="lead" dir="auto">
          {description}
        </p>
      ),
    }),
  });
};
