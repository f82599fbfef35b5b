import { fastify } from 'fastify';
import Supercluster from 'supercluster';
import { isVisible, linesOf } from './directory.ts';
import { listen, listingsFile } from './listening.ts';

// The map in memory: clusters of `supercluster` in squares as large as those of the service.

const points: Supercluster.PointFeature<{ id: string; slug: string; name: string }>[] = [];
for await (const lines of linesOf(listingsFile())) {
  for (const { view } of lines) {
    if (!isVisible(view) || view.latitude === null || view.longitude === null) continue;
    points.push({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [view.longitude, view.latitude] },
      properties: { id: view.id, slug: view.slug, name: view.name },
    });
  }
}
const index = new Supercluster({ radius: 64, extent: 256, maxZoom: 20 }).load(points);

const app = fastify({ logger: false });
app.get<{ Querystring: { bbox: string; zoom: string } }>('/api/projects/map', ({ query: { bbox, zoom } }) => ({
  type: 'FeatureCollection',
  features: index.getClusters(bbox.split(',').map(Number) as [number, number, number, number], Number(zoom)),
}));
await listen(app, () => undefined);
