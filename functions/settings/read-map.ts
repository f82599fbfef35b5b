import { readMap } from '#contract/settings.ts';
import { handle, ok } from '#http/handle.ts';
import { readSetting } from '#services/admin/settings.ts';

export const handler = handle(readMap, async () => {
  const setting = await readSetting('map');
  return ok({ data: setting.value }, { version: setting.version });
});
