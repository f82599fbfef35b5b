import { defaultSettings, parseSetting, type Setting, type SettingName, type SettingValues } from '#model/setting.ts';
import { elapsed, moment, NEVER, now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { singleFlight } from '#platform/single-flight.ts';
import { ConflictError } from './conflict.ts';
import { fromJsonText, toJsonText } from './json-text.ts';
import { settingKey, settingPrefix, settingsPartition } from './keys.ts';
import { findItem, type Item, inKeyOrder, wholeCollection } from './read.ts';
import { absent, every, exists, is, transact } from './write.ts';

/** The values of settings that have not been stored, in this deployment. */
export const settingDefaults = (): SettingValues => defaultSettings(environment().siteName);

const settingOf = <N extends SettingName>(name: N, item: Item | undefined): Setting<N> =>
  parseSetting(name, item && { ...item, value: inKeyOrder(fromJsonText(item.value)) }, settingDefaults());

/** The newest state of a setting; the default while nothing is stored. */
export const findSetting = async <N extends SettingName>(name: N): Promise<Setting<N>> =>
  settingOf(name, await findItem(settingKey(name)));

/** When this process last wrote a setting, in milliseconds of the monotonic clock. */
let writtenAt = Number.NEGATIVE_INFINITY;

/** A concurrent write changed the setting first. */
class SettingChanged extends ConflictError {
  override readonly name = 'SettingChanged';
}

/** What is stored of a setting: the site's name only if it differs from that of the environment, which may change. */
const storedValue = (name: SettingName, value: SettingValues[SettingName]): object => {
  if (name !== 'site') return value;
  const { name: siteName, ...others } = value as SettingValues['site'];
  return siteName === settingDefaults().site.name ? others : value;
};

/** Stores the next value of a setting. @throws {SettingChanged} unless `previous` is the stored version. */
export const replaceSetting = async <N extends SettingName>(
  name: N,
  previous: Setting<N>,
  value: SettingValues[N],
): Promise<Setting<N>> => {
  const version = previous.version + 1;
  await transact([
    {
      put: {
        ...settingKey(name),
        type: 'setting',
        name,
        value: toJsonText(storedValue(name, value)),
        version,
        updated_at: now(),
      },
      when: previous.version === 0 ? absent : every(exists, is('version', previous.version)),
      orElse: () => new SettingChanged(`The setting ${name} was changed concurrently.`),
    },
  ]);
  writtenAt = performance.now();
  return { value: inKeyOrder(value), version };
};

/** Maximum age of cached settings, in milliseconds. Writes of this process are visible immediately. */
const MAX_AGE_MS = 1000;

let cached: SettingValues | undefined;
/** When the last refresh began. */
let readAt = NEVER;

const refresh = singleFlight(async (): Promise<void> => {
  const beganAt = moment();
  const items = await wholeCollection({ partition: settingsPartition, prefix: settingPrefix });
  const stored = (name: SettingName) => items.find((item) => item.name === name);
  cached = {
    layout: settingOf('layout', stored('layout')).value,
    theme: settingOf('theme', stored('theme')).value,
    map: settingOf('map', stored('map')).value,
    site: settingOf('site', stored('site')).value,
  };
  readAt = beganAt;
});

/** All settings of the site, at most a second old; concurrent calls share a refresh. */
export const cachedSettings = async (): Promise<SettingValues> => {
  const calledAt = moment();
  while (
    readAt.monotonic < calledAt.monotonic &&
    (writtenAt > readAt.monotonic || elapsed(readAt, calledAt) > MAX_AGE_MS)
  ) {
    await refresh();
  }
  return cached ?? settingDefaults();
};
