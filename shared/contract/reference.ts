import { defineRoute } from './route.ts';

export const readOpenapi = defineRoute('reference.readOpenapi', {
  method: 'GET',
  path: '/api/openapi.json',
  summary: 'Read the OpenAPI document',
  description: 'OpenAPI 3.1, without the routes of disabled features.',
  auth: 'public',
  tier: 'general',
  replies: { 200: { stream: false, contentType: 'application/json; charset=utf-8', description: 'OpenAPI 3.1' } },
  permissions: [],
  cacheSeconds: 300,
});
