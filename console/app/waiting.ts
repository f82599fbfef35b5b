import { client, dataOf } from '../api.ts';
import { useResource } from './queries.ts';

/** What waits for the staff; the home page and the navigation share it. Refreshed with every change of listings. */
export const useWaiting = () =>
  useResource(['projects', 'waiting'], (signal) => dataOf(client.summary.read({ signal })), { poll: true });
