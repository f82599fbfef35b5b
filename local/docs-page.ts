import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { html } from './html.ts';
import type { HttpResponse } from './http-response.ts';
import type { LocalRoute } from './local-route.ts';

const require = createRequire(import.meta.url);

// All resources come from this server; the viewer's style sheet has images as data URLs.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const respond = (contentType: string, body: string | Buffer, cacheControl: string): HttpResponse => ({
  status: 200,
  headers: { 'content-type': contentType, 'cache-control': cacheControl, 'content-security-policy': POLICY },
  body,
});

const PAGE = html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API reference</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <noscript>The reference needs JavaScript. The OpenAPI document is at <a href="/api/openapi.json">/api/openapi.json</a>.</noscript>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

const asset = (file: string, contentType: string): LocalRoute => ({
  method: 'GET',
  path: `/docs/${file}`,
  respond: () => {
    const folder = path.dirname(require.resolve('swagger-ui-dist/package.json'));
    return respond(contentType, readFileSync(path.join(folder, file)), 'private, max-age=3600');
  },
});

const page = (): HttpResponse => respond('text/html; charset=utf-8', PAGE.markup, 'no-store');

/** The interactive API reference, without external resources. */
export const docsRoutes: readonly LocalRoute[] = [
  { method: 'GET', path: '/docs', respond: page },
  { method: 'GET', path: '/docs/', respond: page },
  {
    method: 'GET',
    path: '/docs/start.js',
    respond: () => respond('text/javascript; charset=utf-8', START, 'no-store'),
  },
  asset('swagger-ui.css', 'text/css; charset=utf-8'),
  asset('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
];
