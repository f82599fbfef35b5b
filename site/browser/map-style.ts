// The background of the map by MapLibre, from the style of the settings. Loaded only where there is one.

import maplibre from 'maplibre-gl';
import type { View } from './map-view.ts';

/** The addresses of a style and of what shows it. */
export interface MapStyle {
  readonly url: string;
  readonly worker: string;
  readonly stylesheet: string;
}

/** The tiles of MapLibre have 512 pixels, those of a view 256. */
const ZOOM_DIFFERENCE = 1;

const cameraOf = ({ center: [longitude, latitude], zoom }: View) => ({
  center: [longitude, latitude] as [number, number],
  zoom: zoom - ZOOM_DIFFERENCE,
});

const loadedStylesheet = (address: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: address });
    link.addEventListener('load', () => resolve());
    link.addEventListener('error', () => reject(new Error(`${address} cannot be loaded.`)));
    document.head.append(link);
  });

/**
 * Draws the style into an element. Keyboard, pointer and markers stay with the page: the background only follows its view.
 * @returns shows another view.
 * @throws when the style cannot be loaded, or the browser has no WebGL.
 */
export const drawStyle = async (
  container: HTMLElement,
  { url, worker, stylesheet }: MapStyle,
  view: View,
): Promise<(view: View) => void> => {
  await loadedStylesheet(stylesheet);
  maplibre.setWorkerUrl(worker);
  const map = new maplibre.Map({
    container,
    style: url,
    interactive: false,
    attributionControl: { compact: false },
    minZoom: -2,
    fadeDuration: 0,
    ...cameraOf(view),
  });
  await new Promise<void>((resolve, reject) => {
    void map.once('style.load', () => resolve());
    void map.once('error', ({ error }: { readonly error: Error }) => reject(error));
  }).catch((error: unknown) => {
    map.remove();
    throw error;
  });
  // A tile that is missing leaves a gap, which is seen.
  map.on('error', () => undefined);
  return (next) => map.jumpTo(cameraOf(next));
};
