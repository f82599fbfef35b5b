import { readLlms, readRobots } from '#contract/feeds.ts';
import { handle } from '#http/handle.ts';
import { indexNowKey } from '#services/feeds/index-now-key.ts';
import { llmsText } from '#services/feeds/llms.ts';
import { robotsText } from '#services/feeds/robots.ts';

const textAt = async (path: string): Promise<string> => {
  switch (path) {
    case readRobots.path:
      return robotsText();
    case readLlms.path:
      return await llmsText();
    default:
      return indexNowKey();
  }
};

/** Also handles `feeds.readRobots` and `feeds.readIndexNowKey`, whose path has the key. */
export const handler = handle(readLlms, async ({ resource }) => ({
  status: 200 as const,
  text: await textAt(resource),
}));
