/**
 * For how many days everybody who is told of an event remembers that he has dealt with it. Whatever comes again within them, from a
 * retry or from the archive of the bus, has no effect twice.
 */
export const REMEMBERED_DAYS = 30;

/** The same in seconds. */
export const REMEMBERED_SECONDS = REMEMBERED_DAYS * 86_400;
