import { readTheme } from '#contract/settings.ts';
import { handle, ok } from '#http/handle.ts';
import { readSetting } from '#services/admin/settings.ts';

export const handler = handle(readTheme, async () => {
  const setting = await readSetting('theme');
  return ok({ data: setting.value }, { version: setting.version });
});
