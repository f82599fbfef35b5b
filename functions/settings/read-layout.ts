import { readLayout } from '#contract/settings.ts';
import { handle, ok } from '#http/handle.ts';
import { readSetting } from '#services/admin/settings.ts';

export const handler = handle(readLayout, async () => {
  const setting = await readSetting('layout');
  return ok({ data: setting.value }, { version: setting.version });
});
