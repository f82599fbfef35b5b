/** The time as the contract writes it: ISO 8601 in UTC with milliseconds. */
export const now = (): string => new Date().toISOString();
