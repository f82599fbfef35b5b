import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { catalog } from './catalog.ts';
import { findProject, removeProject } from './projects.ts';

/** What purging by the clock works with. */
export const purgeDeletedPorts = { now, newId, catalog, findProject, removeProject };
