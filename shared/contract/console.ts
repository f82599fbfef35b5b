import { defineRoute, type TextReply } from './route.ts';

const page = {
  stream: false,
  contentType: 'text/html; charset=utf-8',
  description: 'The page of the console.',
} as const satisfies TextReply;

const shared = {
  method: 'GET',
  auth: 'public',
  tier: 'general',
} as const;

/** The addresses that the Content-Security-Policy of the console permits. */
const consolePermissions = ['sign-in', 'uploads:origin'] as const;

export const read = defineRoute('console.read', {
  ...shared,
  path: '/console/{file}',
  permissions: consolePermissions,
  summary: 'Read a page or file of the console',
  description: 'Files have a digest in their name and may be kept for ever. Every other word is a page.',
  replies: {
    200: {
      ...page,
      otherTypes: ['text/javascript; charset=utf-8', 'text/css; charset=utf-8', 'image/svg+xml'],
      description: 'A page, script, style sheet or image.',
    },
  },
  failures: ['NOT_FOUND'],
});

export const open = defineRoute('console.open', {
  ...shared,
  handlerId: 'console.read',
  path: '/console',
  permissions: consolePermissions,
  summary: 'Open the console',
  description: 'The web application for administrators and moderators. It uses this interface only.',
  replies: { 200: page },
});

export const openReference = defineRoute('console.openReference', {
  ...shared,
  path: '/docs',
  permissions: ['sign-in'],
  summary: 'Open the API reference',
  description:
    'All routes, with forms to send requests. After signing in on the page they carry its access token. Scripts and styles are files of the console.',
  replies: { 200: { ...page, description: 'The page of the reference.' } },
});
