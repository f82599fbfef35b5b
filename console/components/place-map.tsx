import { geoEqualEarth, geoPath } from 'd3-geo';
import type { MouseEvent } from 'react';
import { feature, mesh } from 'topojson-client';
import type { GeometryObject } from 'topojson-specification';
import world from 'world-atlas/countries-110m.json';
import * as strings from '../strings.ts';

const WIDTH = 640;
const HEIGHT = 312;
const DIGITS = 4;

const countries = world.objects.countries;
if (!countries) throw new Error('The map has no countries.');

const projection = geoEqualEarth().fitSize([WIDTH, HEIGHT], { type: 'Sphere' });
const path = geoPath(projection);
const landPath = path(feature(world, countries)) ?? '';
const borderPath = path(mesh(world, countries as GeometryObject, (one, other) => one !== other)) ?? '';

/** A place on a map of all countries. A click sets it; the fields beside it do the same for the keyboard. */
export const PlaceMap = ({
  latitude,
  longitude,
  onChange,
}: {
  readonly latitude: string;
  readonly longitude: string;
  readonly onChange: (latitude: string, longitude: string) => void;
}) => {
  const isPlaced = latitude !== '' && longitude !== '' && Number.isFinite(Number(latitude) + Number(longitude));
  const point = isPlaced ? projection([Number(longitude), Number(latitude)]) : null;
  const place = (event: MouseEvent<SVGSVGElement>) => {
    const frame = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - frame.left) / frame.width) * WIDTH;
    const y = ((event.clientY - frame.top) / frame.height) * HEIGHT;
    const [east, north] = projection.invert?.([x, y]) ?? [];
    if (east === undefined || north === undefined || Math.abs(east) > 180 || Math.abs(north) > 90) return;
    onChange(north.toFixed(DIGITS), east.toFixed(DIGITS));
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the fields for the coordinates are beside the map.
    <svg
      className="place-map"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={strings.listing.map}
      onClick={place}
    >
      <path className="land" d={landPath} />
      <path className="borders" d={borderPath} />
      {point && <circle cx={point[0]} cy={point[1]} r={6} />}
    </svg>
  );
};
