import { defineRoute } from './route.ts';

export const readOpenapi = defineRoute('reference.readOpenapi', {
  method: 'GET',
  path: '/api/openapi.json',
  summary: 'This description of the interface',
  description: 'OpenAPI 3.1, without what is switched off.',
  auth: 'public',
  tier: 'general',
  replies: { 200: { stream: false, contentType: 'application/json; charset=utf-8', description: 'OpenAPI 3.1' } },
  needs: [],
  cacheSeconds: 300,
});
