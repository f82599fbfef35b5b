// A map of listings: outlines of the land, and markers of clusters and single listings. The public pages and the console have it.

import { geoGraticule10, geoPath } from 'd3-geo';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import world from 'world-atlas/land-110m.json' with { type: 'json' };
import { wrapped } from '#contract/longitude.ts';
import type { MapClusters } from '#contract/projects.ts';
import {
  boundedView,
  boxOf,
  isGlobe,
  leastZoom,
  moved,
  type Place,
  pointOf,
  projectionOf,
  type Size,
  type View,
  ZOOM_MAX,
  zoomed,
} from './map-view.ts';

export type Feature = MapClusters['features'][number];
export type Cluster = Extract<Feature, { properties: { cluster: true } }>;
export type Single = Extract<Feature, { properties: { cluster: false } }>;

export const isSingle = (one: Feature): one is Single => !one.properties.cluster;

const topology = world as unknown as Topology<{ land: GeometryCollection }>;
const land = feature(topology, topology.objects.land);
const graticule = geoGraticule10();

const START: Place = [10, 25];
const FLIGHT_MS = 350;
/** Nearer markers than this would cover each other, in pixels. */
const APART_PIXELS = 46;
/** Between the last move and the request. */
const PAUSE_MS = 150;
const STEP_PIXELS = 80;
/** How far the wheel turns for one step of zoom. */
const WHEEL_PIXELS = 300;

interface MapElements {
  /** Receives keys and pointers, and contains the others. */
  readonly surface: HTMLElement;
  readonly outlines: SVGSVGElement;
  readonly markers: HTMLElement;
}

interface MapSettings {
  readonly kind: 'globe' | 'mercator';
  readonly format: (count: number) => string;
  /** The accessible name of a cluster. @param isApart whether a zoom sets its listings apart. */
  readonly labelOf: (count: string, isApart: boolean) => string;
  /** @param box west, south, east and north. */
  readonly load: (box: string, zoom: number, signal: AbortSignal) => Promise<MapClusters>;
  /** @param total the listings in the view. */
  readonly onLoaded: (total: number) => void;
  readonly onProblem: (error: unknown) => void;
  /** A listing was chosen, or listings that no zoom sets apart. */
  readonly onOpen: (marker: HTMLElement, one: Feature) => void;
}

export interface ListingMap {
  readonly zoomBy: (steps: number) => void;
  readonly showWhole: () => void;
  readonly view: () => View;
  /** Draws a background in place of the outlines, whenever the view changes. */
  readonly setBackground: (show: (view: View) => void) => void;
  /** Requests the clusters again. */
  readonly reload: () => void;
  readonly stop: () => void;
}

/** The view in the address, so that a reload and the way back show it again. */
const viewInAddress = (): View | undefined => {
  const [, zoom, latitude, longitude] = /^#([\d.]+)\/([-+.\de]+)\/([-+.\de]+)$/i.exec(location.hash) ?? [];
  const view = { center: [Number(longitude), Number(latitude)] as const, zoom: Number(zoom) };
  return [...view.center, view.zoom].every(Number.isFinite) ? view : undefined;
};

const extentOf = (one: Feature): Cluster['bbox'] =>
  isSingle(one) ? [...one.geometry.coordinates, ...one.geometry.coordinates] : one.bbox;

const countOf = (one: Feature): number => (isSingle(one) ? 1 : one.properties.count);

/** Two markers as one. Across the date line the longitudes of one go on beyond ±180 from those of the other. */
const together = (one: Feature, other: Feature, view: View): Cluster => {
  const [count, added] = [countOf(one), countOf(other)];
  const [longitude, latitude] = one.geometry.coordinates;
  const [otherLongitude, otherLatitude] = other.geometry.coordinates;
  const turn = 360 * Math.round((longitude - otherLongitude) / 360);
  const [extent, otherExtent] = [extentOf(one), extentOf(other)];
  const bbox: Cluster['bbox'] = [
    Math.min(extent[0], otherExtent[0] + turn),
    Math.min(extent[1], otherExtent[1]),
    Math.max(extent[2], otherExtent[2] + turn),
    Math.max(extent[3], otherExtent[3]),
  ];
  const mean = (value: number, otherValue: number): number => (value * count + otherValue * added) / (count + added);
  const zoom = Math.round(view.zoom) + 1;
  const [west, south, east, north] = bbox;
  // A pole has every longitude.
  const isPoint = south === north && (west === east || Math.abs(south) === 90);
  return {
    type: 'Feature',
    id: `${one.id} ${other.id}`,
    bbox,
    geometry: { type: 'Point', coordinates: [mean(longitude, otherLongitude + turn), mean(latitude, otherLatitude)] },
    properties: { cluster: true, count: count + added, expansion_zoom: isPoint || zoom > ZOOM_MAX ? null : zoom },
  };
};

const spread = ([one, other]: readonly Place[]): number =>
  one && other ? Math.hypot(one[0] - other[0], one[1] - other[1]) : 0;
const middle = (places: readonly Place[]): Place => [
  places.reduce((sum, [x]) => sum + x, 0) / places.length,
  places.reduce((sum, [, y]) => sum + y, 0) / places.length,
];

/** Shows a map in the elements of a page. */
export const showListingMap = (
  { surface, outlines, markers }: MapElements,
  { kind, format, labelOf, load, onLoaded, onProblem, onOpen }: MapSettings,
): ListingMap => {
  const stopped = new AbortController();
  const path = (className: string): SVGPathElement => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    made.setAttribute('class', className);
    outlines.append(made);
    return made;
  };
  const [sea, lines, ground] = [path('sea'), path('graticule'), path('land')];

  const sizeOf = (): Size => ({ width: surface.clientWidth, height: surface.clientHeight });

  let size = sizeOf();
  let view = boundedView(kind, viewInAddress() ?? { center: START, zoom: leastZoom(kind, size) }, size);
  let shown: readonly { readonly element: HTMLElement; readonly feature: Feature }[] = [];

  const place = (projection: ReturnType<typeof projectionOf>): void => {
    for (const { element, feature: one } of shown) {
      const point = pointOf(kind, view, projection, one.geometry.coordinates);
      element.hidden = point === undefined;
      if (point) element.style.translate = `${point[0].toFixed(1)}px ${point[1].toFixed(1)}px`;
    }
  };

  let showBackground: ((view: View) => void) | undefined;
  let isDrawn = true;
  const draw = (): void => {
    isDrawn = true;
    const projection = projectionOf(kind, view, size);
    if (showBackground) {
      showBackground(view);
      place(projection);
      return;
    }
    const pathOf = geoPath(projection).digits(1);
    outlines.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
    sea.setAttribute(
      'd',
      isGlobe(kind, view) ? (pathOf({ type: 'Sphere' }) ?? '') : `M0 0H${size.width}V${size.height}H0Z`,
    );
    lines.setAttribute('d', pathOf(graticule) ?? '');
    ground.setAttribute('d', pathOf(land) ?? '');
    place(projection);
  };

  const requestDraw = (): void => {
    if (!isDrawn) return;
    isDrawn = false;
    requestAnimationFrame(draw);
  };

  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  let flight = 0;

  const show = (next: View): void => {
    view = boundedView(kind, next, size);
    requestDraw();
    requestClusters();
  };

  /** Moves to a view, at once for those who want no motion. */
  const fly = (next: View): void => {
    cancelAnimationFrame(flight);
    const target = boundedView(kind, next, size);
    if (calm.matches) {
      show(target);
      return;
    }
    const from = view;
    const begin = performance.now();
    const east = wrapped(target.center[0] - from.center[0]);
    const step = (now: number): void => {
      const share = Math.min(1, (now - begin) / FLIGHT_MS);
      const eased = 1 - (1 - share) ** 3;
      show({
        center: [from.center[0] + east * eased, from.center[1] + (target.center[1] - from.center[1]) * eased],
        zoom: from.zoom + (target.zoom - from.zoom) * eased,
      });
      if (share < 1) flight = requestAnimationFrame(step);
    };
    flight = requestAnimationFrame(step);
  };

  const open = (marker: HTMLElement, one: Feature): void => {
    if (isSingle(one) || one.properties.expansion_zoom === null) {
      onOpen(marker, one);
      return;
    }
    surface.focus();
    fly({ center: one.geometry.coordinates, zoom: Math.max(one.properties.expansion_zoom, view.zoom + 0.5) });
  };

  /** A button; that of a cluster grows with the digits of its count. */
  const markerOf = (one: Feature): HTMLElement => {
    const made = document.createElement('button');
    made.type = 'button';
    if (isSingle(one)) {
      made.className = 'marker';
      made.ariaLabel = one.properties.name;
      made.title = one.properties.name;
    } else {
      const count = format(one.properties.count);
      made.className = `marker cluster digits-${Math.min(5, String(one.properties.count).length)}`;
      made.textContent = count;
      made.ariaLabel = labelOf(count, one.properties.expansion_zoom !== null);
    }
    made.addEventListener('click', () => open(made, one));
    return made;
  };

  /** Clusters of neighbouring squares may be near each other: such are shown as one. */
  const keptApart = (features: readonly Feature[]): readonly Feature[] => {
    const projection = projectionOf(kind, view, size);
    const placed = (one: Feature) => ({ one, at: pointOf(kind, view, projection, one.geometry.coordinates) });
    const isNear = ([x, y]: Place, other: Place | undefined): boolean =>
      other !== undefined && Math.hypot(x - other[0], y - other[1]) < APART_PIXELS;
    let apart: readonly ReturnType<typeof placed>[] = [];
    for (const one of features) {
      let next = placed(one);
      // One that grew may have come near to another one.
      for (;;) {
        const { at } = next;
        const near = at && apart.find((other) => isNear(at, other.at));
        if (!near) break;
        apart = apart.filter((other) => other !== near);
        next = placed(together(near.one, next.one, view));
      }
      apart = [...apart, next];
    }
    return apart.map((kept) => kept.one);
  };

  /** Markers that stay keep their elements, and so the focus. */
  const showFeatures = ({ features: found, meta }: MapClusters): void => {
    const features = keptApart(found);
    const known = new Map(shown.map((one) => [`${one.feature.id} ${JSON.stringify(one.feature.properties)}`, one]));
    shown = features.map((one) => ({
      feature: one,
      element: known.get(`${one.id} ${JSON.stringify(one.properties)}`)?.element ?? markerOf(one),
    }));
    const elements = new Set(shown.map((one) => one.element));
    for (const old of [...markers.children]) if (!elements.has(old as HTMLElement)) old.remove();
    for (const { element: one } of shown) if (!one.isConnected) markers.append(one);
    onLoaded(meta.total);
    place(projectionOf(kind, view, size));
  };

  let pause: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | undefined;

  const loadInto = async (signal: AbortSignal): Promise<void> => {
    try {
      const zoom = Math.min(ZOOM_MAX, Math.max(0, Math.round(view.zoom)));
      const found = await load(boxOf(kind, view, size).join(','), zoom, signal);
      if (!signal.aborted) showFeatures(found);
    } catch (error) {
      if (!signal.aborted) onProblem(error);
    }
  };

  function requestClusters(): void {
    clearTimeout(pause);
    pause = setTimeout(() => {
      running?.abort();
      running = new AbortController();
      const center = view.center.map((degrees) => degrees.toFixed(4));
      history.replaceState(history.state, '', `#${view.zoom.toFixed(2)}/${center[1]}/${center[0]}`);
      void loadInto(running.signal);
    }, PAUSE_MS);
  }

  const showWhole = (): void => fly({ center: START, zoom: 0 });
  const zoomBy = (steps: number): void => fly(zoomed(kind, view, Math.round(view.zoom) + steps, size));

  const on = <K extends keyof HTMLElementEventMap>(
    name: K,
    listener: (event: HTMLElementEventMap[K]) => void,
    options: AddEventListenerOptions = {},
  ): void => surface.addEventListener(name, listener, { ...options, signal: stopped.signal });

  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => show(moved(kind, view, [STEP_PIXELS, 0], size)),
    ArrowRight: () => show(moved(kind, view, [-STEP_PIXELS, 0], size)),
    ArrowUp: () => show(moved(kind, view, [0, STEP_PIXELS], size)),
    ArrowDown: () => show(moved(kind, view, [0, -STEP_PIXELS], size)),
    '+': () => zoomBy(1),
    '=': () => zoomBy(1),
    '-': () => zoomBy(-1),
    Home: showWhole,
  };
  on('keydown', (event) => {
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });

  /** The fingers and the pressed mouse on the map. */
  const pointers = new Map<number, Place>();
  const pointIn = (event: MouseEvent): Place => {
    const { left, top } = surface.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  on('pointerdown', (event) => {
    if ((event.target as Element).closest('button, a')) return;
    cancelAnimationFrame(flight);
    surface.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, pointIn(event));
  });
  on('pointermove', (event) => {
    if (!pointers.has(event.pointerId)) return;
    const before = [...pointers.values()];
    pointers.set(event.pointerId, pointIn(event));
    const after = [...pointers.values()];
    const [from, to] = [middle(before), middle(after)];
    let next = moved(kind, view, [to[0] - from[0], to[1] - from[1]], size);
    if (after.length > 1 && spread(before) > 0)
      next = zoomed(kind, next, next.zoom + Math.log2(spread(after) / spread(before)), size, to);
    show(next);
  });
  for (const name of ['pointerup', 'pointercancel'] as const) on(name, ({ pointerId }) => pointers.delete(pointerId));
  on('dblclick', (event) => fly(zoomed(kind, view, view.zoom + 1, size, pointIn(event))));

  on(
    'wheel',
    (event) => {
      // The wheel scrolls the page until the map is in use.
      if (!event.ctrlKey && !event.metaKey && !surface.contains(document.activeElement)) return;
      event.preventDefault();
      const steps = -event.deltaY / (event.ctrlKey ? WHEEL_PIXELS / 4 : WHEEL_PIXELS);
      show(zoomed(kind, view, view.zoom + steps, size, pointIn(event)));
    },
    { passive: false },
  );

  const observer = new ResizeObserver(() => {
    size = sizeOf();
    show(view);
  });
  // Reports the first size too, so that this draws.
  observer.observe(surface);

  return {
    zoomBy,
    showWhole,
    view: () => view,
    setBackground: (shows) => {
      showBackground = shows;
      draw();
    },
    reload: requestClusters,
    stop: () => {
      stopped.abort();
      observer.disconnect();
      clearTimeout(pause);
      running?.abort();
      cancelAnimationFrame(flight);
      outlines.replaceChildren();
      markers.replaceChildren();
    },
  };
};
