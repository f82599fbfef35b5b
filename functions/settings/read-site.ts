import { readSite } from '#contract/settings.ts';
import { handle, ok } from '#http/handle.ts';
import { readSetting } from '#services/admin/settings.ts';

export const handler = handle(readSite, async () => {
  const setting = await readSetting('site');
  return ok({ data: setting.value }, { version: setting.version });
});
