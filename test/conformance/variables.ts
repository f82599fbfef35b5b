/** What a run of the suite against a deployment is told by; without the first it runs against a world of its own. */
export const variables = {
  /** What everything stands below. */
  url: 'CONFORMANCE_URL',
  /** Origins whose pages may call, separated by commas. */
  origins: 'CONFORMANCE_ORIGINS',
  /** Access tokens of an administrator, a user and another user. */
  admin: 'CONFORMANCE_ADMIN_TOKEN',
  user: 'CONFORMANCE_USER_TOKEN',
  other: 'CONFORMANCE_OTHER_TOKEN',
} as const;
