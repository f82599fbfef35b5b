import { categoryIds } from '#data/category-slugs.ts';
import { openPorts } from './open-checkout.ts';

/** What a premium submission works with beside what every submission does. */
export const premiumPorts = { ...openPorts, categoryIds };
