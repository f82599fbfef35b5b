import { missingCategories } from '#data/categories.ts';
import { refusedBecauseOf } from '#data/duplicates.ts';
import { findProject, insertProject, removeProject, replaceProject, takenSlugs } from '#data/projects.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';

/** What the verbs that submit projects work with. */
export const submitPorts = {
  now,
  newId,
  missingCategories,
  takenSlugs,
  findProject,
  insertProject,
  refusedBecauseOf,
};

/** What the verbs that change projects work with. */
export const changePorts = { now, newId, missingCategories, findProject, replaceProject, refusedBecauseOf };

/** What the verbs that remove projects work with. */
export const removePorts = { now, newId, findProject, replaceProject, removeProject };
