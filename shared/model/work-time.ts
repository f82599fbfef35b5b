/** The longest time between the request of any work and its end, in seconds: that of a Lambda function, and a minute to start. */
export const WORK_MAX_SECONDS = 16 * 60;

/**
 * Whether work that ends at a time, at the latest, may still be under way. A time further away than any work takes is of a
 * clock that was ahead: what its process left would block other work for as long.
 * @param until @param at in seconds since the epoch.
 */
export const mayBeUnderWay = (until: number, at: number): boolean => until >= at && until <= at + WORK_MAX_SECONDS;
