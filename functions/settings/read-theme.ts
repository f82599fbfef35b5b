import { readTheme } from '#contract/settings.ts';
import { findSetting } from '#data/settings.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(readTheme, async () => {
  const setting = await findSetting('theme');
  return ok({ data: setting.value }, { version: setting.version });
});
