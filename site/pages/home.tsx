import { checkedQuery } from '#contract/fields.ts';
import { list } from '#contract/projects.ts';
import { environment } from '#platform/environment.ts';
import { listCategories } from '#services/categories/read.ts';
import { listCollections } from '#services/collections.ts';
import { readListings } from '#services/projects/list.ts';
import { showPromotions } from '#services/promotions/list.ts';
import { Card, categoryNames, categoryPath, Row } from '../components/card.tsx';
import { SearchForm } from '../components/search-form.tsx';
import type { LoadPage } from '../page.ts';
import { CategoryTile } from './categories.tsx';
import { CollectionTile } from './collection.tsx';

const TRENDING = 6;
const NEWEST = 6;
const PROMOTED = 3;
const CATEGORIES = 12;
const POPULAR = 6;
const COLLECTIONS = 6;

const listed = (query: Readonly<Record<string, string>>) => readListings(checkedQuery(list.query, query));

export const homePage: LoadPage = async ({ site }) => {
  const { t, href, settings } = site;
  const { features } = environment();
  const [categoryList, trending, newest, promotions, collections] = await Promise.all([
    listCategories(),
    listed({ sort: 'trending', limit: String(TRENDING) }),
    listed({ sort: 'newest', limit: String(NEWEST) }),
    features.promotions ? showPromotions({ placement: 'banner', page: 1, limit: PROMOTED }) : { data: [] },
    features.collections ? listCollections(undefined, { page: 1, limit: COLLECTIONS }) : { data: [] },
  ]);
  const categories = categoryList.body().data;
  const names = categoryNames(categories);
  const { total } = newest.meta;
  const byCount = categories
    .filter(({ project_count }) => project_count > 0)
    .toSorted((a, b) => b.project_count - a.project_count);
  return {
    description: settings.site?.description || t('home.description', { count: total }),
    canonical: '/',
    islands: ['search'],
    structuredData: [{ '@context': 'https://schema.org', '@type': 'WebSite', name: site.name, url: site.address('/') }],
    body: (
      <>
        <section class="hero">
          <div class="width">
            <h1 dir="auto">{settings.site?.tagline || t('home.title')}</h1>
            <p class="lead">{t('home.lead', { count: total })}</p>
            <SearchForm isLarge />
            {byCount.length > 0 && (
              <p class="chips centred">
                <span class="soft">{t('home.popular')}</span>
                {byCount.slice(0, POPULAR).map(({ slug, name }) => (
                  <a key={slug} class="chip" href={href(categoryPath(slug))} dir="auto">
                    {name}
                  </a>
                ))}
              </p>
            )}
          </div>
        </section>
        <div class="width stack">
          {total === 0 && (
            <section class="empty-state">
              <h2>{t('home.empty.title')}</h2>
              <p>{t('home.empty.text')}</p>
              <p>
                <a class="button primary" href={href('/submit')}>
                  {t('submit.title')}
                </a>
              </p>
              {environment().localLinks && (
                <>
                  <p>{t('home.empty.administrators')}</p>
                  <p>
                    <a class="button" href="/console">
                      {t('home.empty.console')}
                    </a>
                  </p>
                </>
              )}
            </section>
          )}
          {promotions.data.length > 0 && (
            <section aria-labelledby="promoted">
              <h2 id="promoted" class="visually-hidden">
                {t('home.promoted')}
              </h2>
              <div class="cards wide">
                {promotions.data.map(({ id, project }) => (
                  <Card key={id} project={project} categories={names} heading="h3" promoted />
                ))}
              </div>
            </section>
          )}
          {total > 0 && (
            <div class="columns">
              <section aria-labelledby="trending">
                <header class="section-head">
                  <h2 id="trending">{t('home.trending')}</h2>
                  <a href={href('/projects?sort=trending')} rel="nofollow">
                    {t('home.trending.all')}
                  </a>
                </header>
                <ol class="listing-rows">
                  {trending.data.map((project) => (
                    <Row key={project.id} project={project} categories={names} />
                  ))}
                </ol>
              </section>
              <section aria-labelledby="newest">
                <header class="section-head">
                  <h2 id="newest">{t('home.newest')}</h2>
                  <a href={href('/projects')}>{t('home.newest.all')}</a>
                </header>
                <ol class="listing-rows plain">
                  {newest.data.map((project) => (
                    <Row key={project.id} project={project} categories={names} />
                  ))}
                </ol>
              </section>
            </div>
          )}
          {collections.data.length > 0 && (
            <section aria-labelledby="collections">
              <header class="section-head">
                <h2 id="collections">{t('home.collections')}</h2>
              </header>
              <ul class="tiles">
                {collections.data.map((collection) => (
                  <CollectionTile key={collection.id} collection={collection} />
                ))}
              </ul>
            </section>
          )}
          {categories.length > 0 && (
            <section aria-labelledby="categories">
              <header class="section-head">
                <h2 id="categories">{t('home.categories')}</h2>
                <a href={href('/categories')}>{t('home.categories.all')}</a>
              </header>
              <ul class="tiles">
                {(byCount.length > 0 ? byCount : categories).slice(0, CATEGORIES).map((category) => (
                  <CategoryTile key={category.id} category={category} heading="h3" />
                ))}
              </ul>
            </section>
          )}
        </div>
      </>
    ),
  };
};
