import { userView } from './change.ts';
import type { UserRecord } from './user.ts';

/** What an export takes. */
export interface ExportPorts {
  /** ISO 8601 in UTC with milliseconds. */
  readonly now: () => string;
  /** What belongs to a user, a page at a time; things of one kind come together. */
  readonly belongingsOf: (userId: string) => AsyncIterable<{ list: string; items: readonly object[] }>;
  /** The lists that an export has in any case. */
  readonly exportedLists: readonly string[];
}

/**
 * Everything stored about a user, as one JSON object in pieces: at no time more than a page of it is in memory.
 */
export async function* exportUser(ports: ExportPorts, user: UserRecord): AsyncGenerator<string> {
  const profile = { ...userView(user), comment_count: user.comment_count, email_verified: user.email_verified };
  yield `{"exported_at":${JSON.stringify(ports.now())},"profile":${JSON.stringify(profile)}`;
  const seen = new Set<string>();
  let open: string | undefined;
  for await (const { list, items } of ports.belongingsOf(user.id)) {
    if (items.length === 0) continue;
    if (list !== open) {
      if (seen.has(list)) throw new Error(`What belongs in the list ${list} does not come together.`);
      yield `${open === undefined ? '' : ']'},${JSON.stringify(list)}:[`;
      seen.add(list);
    }
    const lines = items.map((item) => JSON.stringify(item)).join(',\n');
    yield open === list ? `,\n${lines}` : `\n${lines}`;
    open = list;
  }
  if (open !== undefined) yield ']';
  for (const list of ports.exportedLists) if (!seen.has(list)) yield `,${JSON.stringify(list)}:[]`;
  yield '}\n';
}
