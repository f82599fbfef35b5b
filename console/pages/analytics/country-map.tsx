import { geoEqualEarth, geoPath } from 'd3-geo';
import { feature } from 'topojson-client';
import type { GeometryCollection } from 'topojson-specification';
import world from 'world-atlas/countries-110m.json';
import { formatNumber } from '../../format.ts';
import { codeOf, countryName } from './countries.ts';

const WIDTH = 640;
const HEIGHT = 312;
const LEVELS = 5;

const path = geoPath(geoEqualEarth().fitSize([WIDTH, HEIGHT], { type: 'Sphere' }));
const shapes = feature(world, world.objects.countries as GeometryCollection<{ name: string }>).features.map(
  (country) => ({
    name: country.properties.name,
    code: codeOf(country.properties.name),
    outline: path(country) ?? '',
  }),
);

/** Countries shaded by their share of the largest number; the table beside it has the numbers. */
export const CountryMap = ({
  label,
  counts,
}: {
  readonly label: string;
  readonly counts: ReadonlyMap<string, number>;
}) => {
  const max = Math.max(1, ...shapes.map(({ code }) => counts.get(code ?? '') ?? 0));
  return (
    <svg className="country-map" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {shapes.map(({ name, code, outline }) => {
        const count = counts.get(code ?? '') ?? 0;
        return (
          <path key={name} d={outline} data-level={Math.ceil((count / max) * LEVELS)}>
            <title>{`${code === undefined ? name : countryName(code)}: ${formatNumber(count)}`}</title>
          </path>
        );
      })}
    </svg>
  );
};
