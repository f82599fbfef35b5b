import type { Place } from '../browser/map-view.ts';
import { useSite } from '../context.ts';

const WIDTH = 320;
const HEIGHT = 180;
/** The width of the world: a country of middle size fills the picture, and the outlines are not finer. */
const WORLD = 4096;
/** The zoom of the map that the picture leads to. */
const NEAR_ZOOM = 8;

/** A place on a square Web Mercator map of the world, from the upper left. */
const pointOf = ([longitude, latitude]: Place): readonly [x: number, y: number] => {
  const angle = (Math.max(-85, Math.min(85, latitude)) * Math.PI) / 180;
  const y = 0.5 - Math.log(Math.tan(Math.PI / 4 + angle / 2)) / (2 * Math.PI);
  return [Math.round(WORLD * (longitude / 360 + 0.5)), Math.round(WORLD * y)];
};

/** Where a listing is, as a picture that leads to the map. @param outlines the address of `land.svg`. */
export const PlaceMap = ({ place, outlines }: { readonly place: Place; readonly outlines: string }) => {
  const { t, href } = useSite();
  const [longitude, latitude] = place;
  const [x, y] = pointOf(place);
  const [left, top] = [x - WIDTH / 2, y - HEIGHT / 2];
  // At the edge of the world its other edge follows.
  const worlds = [0, -WORLD, WORLD].filter((start) => start < left + WIDTH && start + WORLD > left);
  return (
    <a class="place-map" href={href(`/map#${NEAR_ZOOM}/${latitude}/${longitude}`)} rel="nofollow">
      <svg viewBox={`${left} ${top} ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true">
        {worlds.map((start) => (
          <use key={start} class="land" href={`${outlines}#land`} x={start} width={WORLD} height={WORLD} />
        ))}
        <circle class="place-dot" cx={x} cy={y} r={6} />
      </svg>
      <span>{t('project.map')}</span>
    </a>
  );
};
