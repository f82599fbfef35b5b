import { readThemeCss } from '#contract/settings.ts';
import { cachedSettings } from '#data/settings.ts';
import { handle } from '#http/handle.ts';
import { themeCss } from '#model/theme.ts';

export const handler = handle(readThemeCss, async () => ({
  status: 200 as const,
  text: themeCss((await cachedSettings()).theme),
}));
