import { freshConsole } from '#lib/console.ts';

/** Called by Vitest once: servers of the tests respond to the routes of the console as after `npm start`. */
export const setup = freshConsole;
