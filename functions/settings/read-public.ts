import { readPublic } from '#contract/settings.ts';
import { handle, ok } from '#http/handle.ts';
import { siteSettings } from '#services/admin/settings.ts';

export const handler = handle(readPublic, async () => ok({ data: await siteSettings() }));
