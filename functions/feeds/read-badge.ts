import { readBadge } from '#contract/feeds.ts';
import { handle } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { readBadge as badge, listingOfBadge } from '#services/feeds/badge.ts';

export const handler = handle(
  readBadge,
  async ({ params, query }) => ({ status: 200 as const, ...(await badge(params.file, query)) }),
  [authorize(async ({ params }) => await listingOfBadge(params.file))],
);
