import { TestRunner } from 'vitest';
import { type Feature, features, neededFeatures } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { NEEDS_FEATURE, WITHOUT_FEATURE } from './feature-run.ts';
import { operationFor } from './operations.ts';

// A run of the suite with one feature switched off, `npm test -- --without <feature>`: what other features do must not
// depend on it. A test that needs the feature is skipped when it first uses it, which the table of routes tells.

const nameOf = (feature: Feature): string => `FEATURE_${feature.toUpperCase()}`;

/**
 * The feature that this run switches off on a server.
 * @param env of the server: a test that sets the feature itself keeps its own.
 */
export const featureToSwitchOff = (env: Readonly<Record<string, string | undefined>> = {}): Feature | undefined => {
  const given = process.env[WITHOUT_FEATURE];
  const feature = features.find((one) => one === given);
  return feature && nameOf(feature) in env ? undefined : feature;
};

/** The settings that switch a feature off. */
export const switchedOff = (feature: Feature | undefined): Readonly<Record<string, string>> =>
  feature ? { [nameOf(feature)]: 'off' } : {};

/** Skips the test that runs. @throws always. */
export const skipForFeature = (feature: Feature): never => {
  const reason = `${NEEDS_FEATURE} "${feature}".`;
  TestRunner.getCurrentTest()?.context.skip(reason);
  throw new Error(reason);
};

/** Skips the test if this run switches the feature off: for tests that use it in other ways than by requests. */
export const needsFeature = (feature: Feature): void => {
  if (featureToSwitchOff() === feature) skipForFeature(feature);
};

/** What requests say beyond their route: a role or a purchase that exists only with the feature. */
const usedInBody: Partial<Readonly<Record<Feature, Readonly<Record<string, string>>>>> = {
  moderators: { role: 'moderator' },
  promotions: { kind: 'promotion' },
};

/** Whether a request uses a feature. */
export const usesFeature = (feature: Feature, method: string, address: string, body: unknown): boolean => {
  const id = operationFor(method, address)?.id;
  const needed = routes.find((route) => route.id === id)?.feature;
  if (needed && (needed === feature || neededFeatures[needed] === feature)) return true;
  const fields = (body ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(usedInBody[feature] ?? {}).some(([name, value]) => fields[name] === value);
};
