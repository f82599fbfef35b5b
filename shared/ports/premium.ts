import { categoryIds } from './category-slugs.ts';
import { openPorts } from './open-ports.ts';

/** What a premium submission works with beside what every submission does. */
export const premiumPorts = { ...openPorts, categoryIds };
