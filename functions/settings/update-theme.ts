import { updateTheme } from '#contract/settings.ts';
import { handle, ok } from '#http/handle.ts';
import { updateSetting } from '#services/admin/settings.ts';

export const handler = handle(updateTheme, async ({ body, ifMatch }) => {
  const setting = await updateSetting('theme', body, ifMatch);
  return ok({ data: setting.value }, { version: setting.version });
});
