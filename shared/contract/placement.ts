import * as z from 'zod';

/** Where a promotion is shown. */
export const placementNames = ['banner', 'catalog', 'detail'] as const;
export const Placement = z.enum(placementNames);
export type Placement = z.infer<typeof Placement>;
