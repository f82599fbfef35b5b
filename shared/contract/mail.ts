import { defineRoute } from './route.ts';

const unsubscribing = {
  path: '/api/unsubscribe/{token}',
  auth: 'public',
  tier: 'general',
  failures: ['NOT_FOUND'],
  cacheSeconds: 0,
} as const;

const page = (description: string) =>
  ({ 200: { stream: false, contentType: 'text/html; charset=utf-8', description } }) as const;

export const readUnsubscribe = defineRoute('mail.readUnsubscribe', {
  ...unsubscribing,
  method: 'GET',
  summary: 'Show the page to unsubscribe',
  description: 'For people who open the address of `List-Unsubscribe`. It has a button and changes nothing.',
  responses: page('The page, with a form that posts to the same address.'),
  permissions: ['unsubscribe'],
});

export const unsubscribe = defineRoute('mail.unsubscribe', {
  ...unsubscribing,
  method: 'POST',
  summary: 'Unsubscribe from an optional mail',
  description:
    'One-click unsubscribing (RFC 8058): turns off the preference in the token, repeatably. The form `List-Unsubscribe=One-Click` of mail providers and of the page is accepted from any origin. No login; cookies are ignored. Tokens do not expire.',
  responses: page('The page that confirms it.'),
  permissions: ['table:get', 'unsubscribe'],
  writes: ['users:notifications'],
});
