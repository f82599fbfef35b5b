/** Environment variables of the suite. Without a URL it runs against a local test server. */
export const variables = {
  /** The base URL of the API. */
  url: 'CONFORMANCE_URL',
  /** Allowed CORS origins, comma-separated. */
  origins: 'CONFORMANCE_ORIGINS',
  /** Access tokens of an administrator, a user and another user. */
  admin: 'CONFORMANCE_ADMIN_TOKEN',
  user: 'CONFORMANCE_USER_TOKEN',
  other: 'CONFORMANCE_OTHER_TOKEN',
} as const;
