import { consolePath } from './location.ts';

const POLL_MS = 700;

const tagOf = async (): Promise<string | null> => {
  const response = await fetch(consolePath, { method: 'HEAD', cache: 'no-store' });
  return response.headers.get('etag');
};

let known: string | null = null;

const check = async (): Promise<void> => {
  const tag = await tagOf();
  if (known !== null && tag !== null && tag !== known) location.reload();
  known = tag ?? known;
};

// Loads the page again after each build of `npm run console:dev`; the server may be down for a moment.
setInterval(() => void check().catch(() => undefined), POLL_MS);
