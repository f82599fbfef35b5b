/**
 * The `Strict-Transport-Security` header of deployed stages: browsers use https for this host for a year. Not on one
 * machine, where browsers would then refuse http on `localhost`.
 */
export const TRANSPORT_SECURITY = { 'strict-transport-security': 'max-age=31536000' } as const;
