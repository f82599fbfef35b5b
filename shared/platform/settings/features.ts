import type * as z from 'zod';
import { type Feature, features } from '#contract/route.ts';
import { byName, perName } from './per-name.ts';
import { offUnlessSaid, onUnlessSaid } from './values.ts';

/** The variables of the features. All are on but the one that costs money with every call. */
export const featureVariables = perName('FEATURE', features, (feature) =>
  feature === 'ai' ? offUnlessSaid : onUnlessSaid,
);

/** Which features they switch on. */
export const featuresOf = (
  variables: z.output<z.ZodObject<typeof featureVariables>>,
): Readonly<Record<Feature, boolean>> => byName('FEATURE', features, variables);
