import { Fragment } from 'react';
import type { Project } from '#contract/projects.ts';
import { useCategories } from '../app/listings.ts';
import { showsImages } from '../app/preferences.ts';
import { useStore } from '../app/store.ts';
import { hostOf, words } from '../format.ts';
import * as strings from '../strings.ts';
import { later } from './lazy.tsx';
import { optionalTextNames, optionalTexts } from './listing-fields.ts';
import { Time } from './time.tsx';

const CustomFacts = later(async () => (await import('./custom-facts.tsx')).CustomFacts);

const Screenshots = ({ urls }: { readonly urls: readonly string[] }) => {
  const isShown = useStore(showsImages);
  return (
    <ul className="screenshots">
      {urls.map((url) => (
        <li key={url}>
          <a href={url} rel="noopener noreferrer" target="_blank">
            {isShown && url.startsWith('https:') ? (
              <img src={url} alt={hostOf(url)} loading="lazy" referrerPolicy="no-referrer" />
            ) : (
              hostOf(url)
            )}
          </a>
        </li>
      ))}
    </ul>
  );
};

/** The whole text of a listing, for reading. */
export const ListingText = ({ project }: { readonly project: Project }) => {
  const { nameOf } = useCategories();
  const place = [project.address_city, project.address_country].filter(Boolean).join(', ');
  return (
    <div className="stack">
      <p className="reading prose" dir="auto">
        <strong>{project.description}</strong>
      </p>
      {project.long_description && (
        <p className="reading prose" dir="auto">
          {project.long_description}
        </p>
      )}
      {project.screenshots.length > 0 && <Screenshots urls={project.screenshots} />}
      <dl className="facts">
        <dt>{words('url')}</dt>
        <dd>
          <a href={project.url} rel="noopener noreferrer nofollow" target="_blank">
            {project.url}
          </a>
        </dd>
        <dt>{words('categories')}</dt>
        <dd className="chips">
          {project.categories.length === 0
            ? strings.listing.noCategories
            : project.categories.map((slug) => (
                <span key={slug} className="chip">
                  {nameOf(slug)}
                </span>
              ))}
        </dd>
        {project.tags.length > 0 && (
          <>
            <dt>{words('tags')}</dt>
            <dd>{project.tags.join(', ')}</dd>
          </>
        )}
        <dt>{words('pricing_type')}</dt>
        <dd>{strings.pricing[project.pricing_type]}</dd>
        <dt>{words('plan')}</dt>
        <dd>{strings.plan[project.plan]}</dd>
        {place !== '' && (
          <>
            <dt>{strings.listing.place}</dt>
            <dd dir="auto">{place}</dd>
          </>
        )}
        {optionalTextNames.map((name) => {
          const value = project[name];
          if (!value) return null;
          return (
            <Fragment key={name}>
              <dt>{words(name)}</dt>
              <dd dir="auto">
                {optionalTexts[name] === 'url' ? (
                  <a href={value} rel="noopener noreferrer" target="_blank">
                    {value}
                  </a>
                ) : (
                  value
                )}
              </dd>
            </Fragment>
          );
        })}
        {Object.keys(project.fields ?? {}).length > 0 && <CustomFacts values={project.fields ?? {}} />}
        <dt>{strings.listing.submitted}</dt>
        <dd>
          <Time at={project.created_at} />
        </dd>
      </dl>
    </div>
  );
};
