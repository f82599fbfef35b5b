import { defaults, type Setting, type SettingName, type SettingValues } from '#domain/settings/setting.ts';
import { elapsed, moment, NEVER, now } from '#platform/clock.ts';
import { absent, every, exists, is } from './conditions.ts';
import { inKeyOrder } from './key-order.ts';
import { settingKey, settingPrefix, settingsPartition } from './keys.ts';
import { findItem, type Item, wholeCollection } from './read.ts';
import { transact } from './write.ts';

/** The settings of the site: one item each, replaced on condition of its version. */

// A setting of an earlier version may lack what has come since, so what is stored lies over the default.
const settingOf = <N extends SettingName>(name: N, item: Item | undefined): Setting<N> =>
  item
    ? { value: { ...defaults[name], ...inKeyOrder(item.value as SettingValues[N]) }, version: Number(item.version) }
    : { value: defaults[name], version: 0 };

/** The newest state of a setting; the default while nothing is stored. */
export const findSetting = async <N extends SettingName>(name: N): Promise<Setting<N>> =>
  settingOf(name, await findItem(settingKey(name)));

/** When this process last changed a setting, in milliseconds of the monotonic clock. */
let writtenAt = Number.NEGATIVE_INFINITY;

/** Somebody else changed the setting since it was read. */
export class SettingChanged extends Error {
  override readonly name = 'SettingChanged';
}

/** Stores the next state of a setting. @throws {SettingChanged} when it is not as `previous` any more. */
export const replaceSetting = async <N extends SettingName>(
  name: N,
  previous: Setting<N>,
  value: SettingValues[N],
): Promise<Setting<N>> => {
  const version = previous.version + 1;
  await transact([
    {
      put: { ...settingKey(name), type: 'setting', name, value, version, updated_at: now() },
      when: previous.version === 0 ? absent : every(exists, is('version', previous.version)),
      orElse: () => new SettingChanged(name),
    },
  ]);
  writtenAt = performance.now();
  return { value: inKeyOrder(value), version };
};

// As fresh as lists are: a change by another process is seen after a second, one of this process at once.
const FRESH_MS = 1000;

let known: SettingValues = defaults;
/** When the last reading began. */
let readAt = NEVER;
let reading: Promise<void> | undefined;

const readAll = async (): Promise<void> => {
  const beganAt = moment();
  const items = await wholeCollection({ partition: settingsPartition, prefix: settingPrefix });
  const stored = (name: SettingName) => items.find((item) => item.name === name);
  known = {
    layout: settingOf('layout', stored('layout')).value,
    theme: settingOf('theme', stored('theme')).value,
    map: settingOf('map', stored('map')).value,
  };
  readAt = beganAt;
};

/** All settings of the site, at most a second old; requests at the same time share one reading. */
export const siteValues = async (): Promise<SettingValues> => {
  const askedAt = moment();
  while (
    readAt.monotonic < askedAt.monotonic &&
    (writtenAt > readAt.monotonic || elapsed(readAt, askedAt) > FRESH_MS)
  ) {
    reading ??= readAll().finally(() => {
      reading = undefined;
    });
    await reading;
  }
  return known;
};
