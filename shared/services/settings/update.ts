import { retryOnConflict } from '#data/conflict.ts';
import { findSetting, replaceSetting } from '#data/settings.ts';
import { mustMatch } from '#model/entity-tag.ts';
import { mergeSetting, type Setting, type SettingName, type SettingUpdates } from '#model/setting.ts';

/**
 * Merges a partial update into a setting.
 * @param ifMatch the entity tags of `If-Match`.
 * @throws 412 unless one of them matches, 400 when the result exceeds the limits of a theme.
 */
export const updateSetting = <N extends SettingName>(
  name: N,
  update: SettingUpdates[N],
  ifMatch: readonly string[] | undefined,
): Promise<Setting<N>> =>
  retryOnConflict(async () => {
    const current = await findSetting(name);
    mustMatch(ifMatch, current.version);
    return await replaceSetting(name, current, mergeSetting(name, current.value, update));
  });
