import { readTheme } from '#contract/settings.ts';
import { findSetting } from '#data/settings.ts';
import { settingTag } from '#domain/settings/setting.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(readTheme, { findSetting }, async (_call, ports) => {
  const setting = await ports.findSetting('theme');
  return ok({ data: setting.value }, { tag: settingTag('theme', setting) });
});
