import { isbot } from 'isbot';

/** Whether a user agent is that of a known bot. Who does not say what he is, is taken for none. */
export const isBot = (userAgent: string | undefined): boolean => isbot(userAgent);
