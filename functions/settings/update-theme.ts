import { updateTheme } from '#contract/settings.ts';
import { findSetting, replaceSetting } from '#data/settings.ts';
import { changeSetting, settingTag } from '#domain/settings/setting.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(updateTheme, { findSetting, replaceSetting }, async ({ body, ifMatch }, ports) => {
  const setting = await changeSetting(ports, 'theme', body, ifMatch);
  return ok({ data: setting.value }, { tag: settingTag('theme', setting) });
});
