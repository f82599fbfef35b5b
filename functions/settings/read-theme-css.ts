import { readThemeCss } from '#contract/settings.ts';
import { handle } from '#http/handle.ts';
import { themeStyleSheet } from '#services/admin/settings.ts';

export const handler = handle(readThemeCss, async () => ({ status: 200 as const, text: await themeStyleSheet() }));
