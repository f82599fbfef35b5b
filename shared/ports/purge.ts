import { catalog } from '#data/catalog.ts';
import { findProject, removeProject } from '#data/projects.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';

/** What purging by the clock works with. */
export const purgeDeletedPorts = { now, newId, catalog, findProject, removeProject };
