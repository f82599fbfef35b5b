import { readMap } from '#contract/settings.ts';
import { findSetting } from '#data/settings.ts';
import { settingTag } from '#domain/settings/setting.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(readMap, { findSetting }, async (_call, ports) => {
  const setting = await ports.findSetting('map');
  return ok({ data: setting.value }, { tag: settingTag('map', setting) });
});
