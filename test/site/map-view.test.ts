import { expect, it } from 'vitest';
import { BoundingBox } from '#contract/places.ts';
import { boundedView, boxOf, leastZoom } from '#site/browser/map-view.ts';

it('the least zoom of a plane has the whole world in its box, at every width', () => {
  for (let width = 300; width <= 2600; width += 1) {
    const size = { width, height: width / 2 };
    const view = boundedView('mercator', { center: [10, 25], zoom: leastZoom('mercator', size) }, size);
    const [west, , east] = BoundingBox.parse(boxOf('mercator', view, size).join(','));
    expect([width, west, east]).toEqual([width, -180, 180]);
  }
});
