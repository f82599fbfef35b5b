import { isbot } from 'isbot';

/** Whether a user agent is a known bot; false when it is missing. */
export const isBot = (userAgent: string | undefined): boolean => isbot(userAgent);
