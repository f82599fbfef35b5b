import { read } from '#contract/console.ts';
import { handle } from '#http/handle.ts';
import { consoleFile } from '#services/admin/console.ts';

/** Also handles `console.open`, whose path has no variable, and `console.readNested`, whose path has two. */
export const handler = handle(read, async ({ params, path }) => {
  const { file, rest } = params as Partial<Record<'file' | 'rest', string>>;
  return { status: 200 as const, ...(await consoleFile({ file, rest, hasTrailingSlash: path.endsWith('/') })) };
});
