import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { catalog } from './catalog.ts';
import { users } from './user-lists.ts';
import { replaceUser, replaceUserAs } from './user-records.ts';
import { findUser } from './users.ts';

/** What the verbs work with by which users change their own records. */
export const profilePorts = { findUser, replaceUser };

/** What the verb works with by which administrators decide about users. */
export const managePorts = { now, newId, findUser, replaceUserAs, catalog };

/** What the verb that lists users works with. */
export const listPorts = { catalog, users };
