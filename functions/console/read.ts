import { read } from '#contract/console.ts';
import { handle } from '#http/handle.ts';
import { consoleFile } from '#services/console/read.ts';

/** Also handles `console.open`, whose path has no variable. */
export const handler = handle(read, async ({ params }) => {
  const { file } = params as Partial<typeof params>;
  return { status: 200 as const, ...(await consoleFile(file)) };
});
