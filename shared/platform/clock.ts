/** The time as the contract writes it: ISO 8601 in UTC with milliseconds. */
export const now = (): string => new Date().toISOString();

/** A time to come as DynamoDB's time to live takes it: whole seconds since the epoch. */
export const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
