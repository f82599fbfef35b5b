import { readMap } from '#contract/settings.ts';
import { findSetting } from '#data/settings.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(readMap, async () => {
  const setting = await findSetting('map');
  return ok({ data: setting.value }, { version: setting.version });
});
