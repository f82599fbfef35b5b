import { read } from '#contract/site.ts';
import { handle } from '#http/handle.ts';
import { errorPage } from '#http/middleware/error-page.ts';
import { readAsset } from '#site/assets.ts';
import { failurePage, renderPage } from '#site/render.ts';

/** Handles all pages and their files. `read` stands for all of them: it declares the input of all. */
export const handler = handle(
  read,
  async ({ resource, params, query }) => {
    const { file } = params as Readonly<Record<string, string>>;
    // The type of a style sheet is declared for the route of the files only.
    if (file !== undefined) return { status: 200 as const, ...((await readAsset(file)) as { text: string }) };
    const { filter = {}, from = {}, to = {}, ...others } = query;
    return await renderPage(resource, { params, query: others, filter, from, to });
  },
  [errorPage((failure, { event }) => failurePage(failure, event.resource))],
);
