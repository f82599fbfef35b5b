import type { CSSProperties } from 'react';
import { client, dataOf } from '../../api.ts';
import { showsImages } from '../../app/preferences.ts';
import { useResource } from '../../app/queries.ts';
import { useStore } from '../../app/store.ts';
import { Logo } from '../../components/logo.tsx';
import * as strings from '../../strings.ts';
import type { Entries } from './entries.ts';
import { text } from './strings.ts';

const modes = ['light', 'dark'] as const;

/** The variables of a theme, as its style sheet sets them. */
const variablesOf = (theme: Entries, mode: (typeof modes)[number]): CSSProperties =>
  Object.fromEntries(
    Object.entries(theme).flatMap(([path, value]) => {
      const [group, ...names] = path.split('.');
      if (group === 'colors') return names[0] === mode ? [[`--${names[1]}`, value]] : [];
      if (group === 'fonts') return [[`--font-${names[0]}`, value]];
      if (group === 'shadows') return [[`--shadow-${names[0]}`, value]];
      return [[`--${group}`, value]];
    }),
  );

interface Sample {
  readonly name: string;
  readonly description: string;
  readonly logo_url: string | null;
  readonly screenshots: readonly string[];
  readonly categories: readonly string[];
}

const Shown = ({
  sample,
  layout,
  part,
}: {
  readonly sample: Sample;
  readonly layout: Entries;
  readonly part: 'card' | 'detail';
}) => {
  const image = useStore(showsImages) ? sample.screenshots[0] : undefined;
  return (
    <div className={`site-${part}`}>
      {layout[`${part}.showImage`] && (
        <div className="site-image">
          {image && <img src={image} alt="" loading="lazy" referrerPolicy="no-referrer" />}
        </div>
      )}
      <div className="site-head">
        {layout[`${part}.showLogo`] && <Logo url={sample.logo_url} name={sample.name} />}
        <strong dir="auto">{sample.name}</strong>
      </div>
      <p dir="auto">{sample.description}</p>
      <div className="site-tags">
        {sample.categories.map((category) => (
          <span key={category}>{category}</span>
        ))}
      </div>
      {part === 'detail' && <span className="site-button">{strings.listing.publicPage}</span>}
    </div>
  );
};

/** A listing as the theme and the layout show it: card and detail, in light and dark. */
export const Preview = ({ theme, layout }: { readonly theme: Entries; readonly layout: Entries }) => {
  const { data } = useResource(['projects', 'sample'], (signal) =>
    dataOf(client.projects.browse({ query: { status: 'live', sort: 'upvotes', limit: 1 }, signal })),
  );
  const sample = data?.[0] ?? text.sample;
  return (
    <section className="stack" aria-label={text.preview}>
      {modes.map((mode) => (
        <div key={mode} className="site-preview" style={variablesOf(theme, mode)}>
          <h2>{text.modes[mode]}</h2>
          <Shown sample={sample} layout={layout} part="card" />
          <Shown sample={sample} layout={layout} part="detail" />
        </div>
      ))}
    </section>
  );
};
