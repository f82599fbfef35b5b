export const text = {
  heading: 'API reference',
  console: 'Console',
  document: 'OpenAPI document',
  unread: (status: number) => `The OpenAPI document could not be read (${status}).`,
} as const;
