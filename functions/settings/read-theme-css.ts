import { readThemeCss } from '#contract/settings.ts';
import { siteValues } from '#data/settings.ts';
import { themeCss } from '#domain/settings/theme-css.ts';
import { handle } from '#http/handle.ts';

export const handler = handle(readThemeCss, { siteValues }, async (_call, ports) => ({
  status: 200 as const,
  text: themeCss((await ports.siteValues()).theme),
}));
