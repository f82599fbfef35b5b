import { freshConsole } from '#lib/console.ts';
import { freshSite } from '#lib/site.ts';

/** Called by Vitest once: servers of the tests respond to the routes of the console and of the pages as after `npm start`. */
export const setup = async (): Promise<void> => {
  await Promise.all([freshConsole(), freshSite()]);
};
