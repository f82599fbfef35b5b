import { updateLayout } from '#contract/settings.ts';
import { findSetting, replaceSetting } from '#data/settings.ts';
import { changeSetting, settingTag } from '#domain/settings/setting.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(updateLayout, { findSetting, replaceSetting }, async ({ body, ifMatch }, ports) => {
  const setting = await changeSetting(ports, 'layout', body, ifMatch);
  return ok({ data: setting.value }, { tag: settingTag('layout', setting) });
});
