import { catalog } from '#data/catalog.ts';
import { users } from '#data/user-lists.ts';
import { replaceUser, replaceUserAs } from '#data/user-records.ts';
import { findUser } from '#data/users.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';

/** What the verbs work with by which users change their own records. */
export const profilePorts = { findUser, replaceUser };

/** What the verb works with by which administrators decide about users. */
export const managePorts = { now, newId, findUser, replaceUserAs, catalog };

/** What the verb that lists users works with. */
export const listPorts = { catalog, users };
