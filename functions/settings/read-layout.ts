import { readLayout } from '#contract/settings.ts';
import { findSetting } from '#data/settings.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(readLayout, async () => {
  const setting = await findSetting('layout');
  return ok({ data: setting.value }, { version: setting.version });
});
