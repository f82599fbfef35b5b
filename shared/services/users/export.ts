import { hasUnindexedEntries } from '#data/ledgers.ts';
import { exportedLists, userDataPages } from '#data/user-export.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { userView } from './view.ts';

/** Everything stored about a user as the `data` of one JSON object, in chunks; at most one page of items is in memory. */
export async function* exportUser(user: UserRecord): AsyncGenerator<string> {
  const profile = { ...userView(user), comment_count: user.comment_count };
  const head = { exported_at: now(), profile, ledgers_complete: !(await hasUnindexedEntries()) };
  yield `{"data":${JSON.stringify(head).slice(0, -1)}`;
  const seen = new Set<string>();
  let open: string | undefined;
  for await (const { list, items } of userDataPages(user.id)) {
    if (items.length === 0) continue;
    if (list !== open) {
      if (seen.has(list)) throw new Error(`The parts of the list ${list} are not adjacent.`);
      yield `${open === undefined ? '' : ']'},${JSON.stringify(list)}:[`;
      seen.add(list);
    }
    const lines = items.map((item) => JSON.stringify(item)).join(',\n');
    yield open === list ? `,\n${lines}` : `\n${lines}`;
    open = list;
  }
  if (open !== undefined) yield ']';
  for (const list of exportedLists) if (!seen.has(list)) yield `,${JSON.stringify(list)}:[]`;
  yield '}}\n';
}
