import { defineRoute, type TextResponse } from './route.ts';

const page = {
  stream: false,
  contentType: 'text/html; charset=utf-8',
  description: 'The page of the console.',
} as const satisfies TextResponse;

const shared = {
  method: 'GET',
  auth: 'public',
  tier: 'general',
} as const;

/** The pages of the console besides `/console` itself, by their word below it. `callback` is where sign-in returns to. */
export const consolePages = [
  'queue',
  'listings',
  'categories',
  'users',
  'comments',
  'reports',
  'promotions',
  'payments',
  'analytics',
  'imports',
  'batches',
  'rules',
  'webhooks',
  'events',
  'jobs',
  'settings',
  'callback',
] as const;

/** The addresses that the Content-Security-Policy of the console permits. */
const consolePermissions = ['sign-in', 'uploads:origin'] as const;

export const read = defineRoute('console.read', {
  ...shared,
  path: '/console/{file}',
  permissions: consolePermissions,
  summary: 'Read a page or file of the console',
  description: 'Files have a digest in their name and may be kept for ever. Every other word is the address of a page.',
  responses: {
    200: {
      ...page,
      otherTypes: ['text/javascript; charset=utf-8', 'text/css; charset=utf-8', 'image/svg+xml'],
      description: 'A page, script, style sheet or image.',
    },
  },
  notFoundPage: 'The console, which says that it has no such page; an error for the name of a file.',
  failures: ['NOT_FOUND'],
});

export const readNested = defineRoute('console.readNested', {
  ...shared,
  handlerId: 'console.read',
  path: '/console/{file}/{rest}',
  permissions: consolePermissions,
  summary: 'Read an address below a page of the console',
  description: 'No page has one: the console opens, and says so.',
  responses: { 200: page },
  notFoundPage: 'An error: the last word is the name of a file.',
  failures: ['NOT_FOUND'],
});

export const open = defineRoute('console.open', {
  ...shared,
  handlerId: 'console.read',
  path: '/console',
  permissions: consolePermissions,
  summary: 'Open the console',
  description: 'The web application for administrators and moderators. It uses this interface only.',
  responses: { 200: page },
});

export const openDocs = defineRoute('console.openDocs', {
  ...shared,
  path: '/docs',
  permissions: ['sign-in'],
  summary: 'Open the API reference',
  description:
    'All routes, with forms to send requests. After signing in on the page they carry its access token. Scripts and styles are files of the console.',
  responses: { 200: { ...page, description: 'The page of the reference.' } },
});

export const readOpenapi = defineRoute('docs.readOpenapi', {
  method: 'GET',
  path: '/api/openapi.json',
  summary: 'Read the OpenAPI document',
  description: 'OpenAPI 3.1, without the routes of disabled features.',
  auth: 'public',
  tier: 'general',
  responses: { 200: { stream: false, contentType: 'application/json; charset=utf-8', description: 'OpenAPI 3.1' } },
  permissions: [],
  cacheSeconds: 300,
});
