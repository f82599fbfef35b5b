import { openDocs } from '#contract/console.ts';
import { handle } from '#http/handle.ts';
import { docsPage } from '#services/admin/console.ts';

export const handler = handle(openDocs, async ({ path }) => ({
  status: 200 as const,
  ...(await docsPage(path.endsWith('/'))),
}));
