/** An example request to one of the most used routes. */
export interface SampleRequest {
  /** The route's id. */
  readonly route: string;
  readonly method: 'GET' | 'POST';
  /** `{project}` is replaced by the slug of a listing, `{n}` by a unique number. */
  readonly path: string;
  readonly signedIn?: true;
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * The most used routes in descending order: reads by visitors, then writes by users. Costs and cold starts are documented
 * for these.
 */
export const topRoutes: readonly SampleRequest[] = [
  { route: 'projects.list', method: 'GET', path: '/api/projects?category=micro&sort=upvotes' },
  { route: 'projects.read', method: 'GET', path: '/api/projects/{project}' },
  {
    route: 'analytics.track',
    method: 'POST',
    path: '/api/analytics/track',
    body: { type: 'project_view', project_id: '{project}', path: '/p/{project}' },
  },
  { route: 'categories.list', method: 'GET', path: '/api/categories' },
  { route: 'settings.readPublic', method: 'GET', path: '/api/settings' },
  { route: 'projects.map', method: 'GET', path: '/api/projects/map' },
  { route: 'search.suggest', method: 'GET', path: '/api/search/suggest?q=lighthouse+{n}' },
  { route: 'projects.related', method: 'GET', path: '/api/projects/{project}/related' },
  { route: 'site.home', method: 'GET', path: '/' },
  { route: 'site.project', method: 'GET', path: '/projects/{project}' },
  { route: 'comments.list', method: 'GET', path: '/api/projects/{project}/comments' },
  { route: 'votes.toggle', method: 'POST', path: '/api/projects/{project}/upvote', signedIn: true },
  {
    route: 'comments.add',
    method: 'POST',
    path: '/api/projects/{project}/comments',
    signedIn: true,
    body: { content: 'The room under the roof is the quiet one, and the stout is worth the stairs.' },
  },
  {
    route: 'projects.submit',
    method: 'POST',
    path: '/api/projects',
    signedIn: true,
    body: {
      plan: 'standard',
      name: 'Lighthouse Brewing {n}',
      url: 'https://lighthouse-{n}.example',
      description: 'Ales from the harbour, with a room to drink them in and a view of the boats that bring the malt.',
      categories: ['micro'],
      pricing_type: 'paid',
      tags: ['harbour', 'ale'],
    },
  },
  {
    route: 'claims.open',
    method: 'POST',
    path: '/api/projects/{project}/claims',
    signedIn: true,
    body: { method: 'manual', message: 'I run the brewery.' },
  },
  {
    route: 'follows.create',
    method: 'POST',
    path: '/api/me/follows',
    signedIn: true,
    body: { query: { q: 'lighthouse {n}' }, frequency: 'daily' },
  },
];
