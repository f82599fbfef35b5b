import { readLayout } from '#contract/settings.ts';
import { findSetting } from '#data/settings.ts';
import { settingTag } from '#domain/settings/setting.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(readLayout, { findSetting }, async (_call, ports) => {
  const setting = await ports.findSetting('layout');
  return ok({ data: setting.value }, { tag: settingTag('layout', setting) });
});
