import { environment } from '#platform/environment.ts';
import { notFound } from '#shared/errors.ts';
import type { MapStyle } from '../browser/map-style.ts';
import { Icon } from '../components/icons.tsx';
import { useSite } from '../context.ts';
import type { LoadPage } from '../page.ts';
import { waiting } from '../waiting.ts';
import { listPage } from './projects.tsx';

const WORLD = '-180,-90,180,90';

/** What the map is drawn with. */
export interface MapData {
  readonly projection: 'globe' | 'mercator';
  readonly lighting: 'auto' | 'dawn' | 'day' | 'dusk' | 'night';
  readonly hasLogos: boolean;
  /** Outlines are drawn without one. */
  readonly style?: MapStyle;
}

/** Where the island `map` draws; the list below it has the same listings as links. */
const MapFrame = ({ hasStyle }: { readonly hasStyle: boolean }) => {
  const { t } = useSite();
  return (
    <section class="map needs-script" aria-label={t('map.label')} data-map>
      <div
        class="map-view"
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard moves the map.
        tabIndex={0}
        aria-label={t('map.label')}
        aria-describedby="map-keys"
        dir="ltr"
        data-map-view
      >
        <svg aria-hidden="true" data-map-outlines />
        {hasStyle && <div class="map-background" data-map-background />}
        <div data-map-markers />
      </div>
      <div class="map-controls">
        <button type="button" class="icon-button" aria-label={t('map.in')} {...waiting} data-map-in>
          <Icon name="plus" />
        </button>
        <button type="button" class="icon-button" aria-label={t('map.out')} {...waiting} data-map-out>
          <Icon name="minus" />
        </button>
        <button type="button" class="icon-button" aria-label={t('map.whole')} {...waiting} data-map-whole>
          <Icon name="globe" />
        </button>
      </div>
      <div class="map-card" hidden data-map-card />
      <p class="map-foot soft small">
        <span role="status" data-map-status />
        <span id="map-keys">{t('map.keys')}</span>
        <span class="map-source">{t('map.source')}</span>
        {hasStyle && (
          <span role="alert" hidden data-map-style-failed>
            {t('map.styleFailed')}
          </span>
        )}
      </p>
      <p class="problem" role="alert" hidden data-map-problem />
    </section>
  );
};

/** The listings with a place: a map where a script runs, and a list with filters below it. @throws 404 without maps. */
export const mapPage: LoadPage = async (request) => {
  const { t, settings } = request.site;
  if (!settings.map) throw notFound();
  const { defaultProjection, lighting } = settings.map;
  const { mapStyleUrl } = environment();
  const { asset } = request.site;
  const style: MapStyle | undefined =
    mapStyleUrl === undefined
      ? undefined
      : { url: mapStyleUrl, worker: asset('maplibre-worker.js'), stylesheet: asset('maplibre-gl.css') };
  const listed = await listPage(request, {
    path: '/map',
    ...(request.query.bbox === undefined && { fixed: { bbox: WORLD } }),
    title: t('map.title'),
    description: (count) => t('map.description', { count }),
    breadcrumbs: [[t('map.title'), '/map']],
    lead: <MapFrame hasStyle={style !== undefined} />,
  });
  if ('movedTo' in listed) return listed;
  return {
    ...listed,
    islands: [...(listed.islands ?? []), 'map'],
    messages: ['map.', 'pricing.'],
    data: {
      projection: defaultProjection,
      lighting,
      hasLogos: settings.layout.card.showLogo,
      ...(style && { style }),
    } satisfies MapData,
    ...(style && { mapStyle: style.url }),
  };
};
