import { updateLayout } from '#contract/settings.ts';
import { handle, ok } from '#http/handle.ts';
import { updateSetting } from '#services/admin/settings.ts';

export const handler = handle(updateLayout, async ({ body, ifMatch }) => {
  const setting = await updateSetting('layout', body, ifMatch);
  return ok({ data: setting.value }, { version: setting.version });
});
