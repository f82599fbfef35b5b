import type { Project } from '#contract/projects.ts';
import { client, dataOf, replyOf } from '../api.ts';
import { queries, useResource } from './queries.ts';
import { session } from './session.ts';

/** A listing with the tag that a change of it has to name. */
export interface Listing {
  readonly project: Project;
  /** Undefined for moderators and a listing that is not live, which they read in lists only. */
  readonly etag: string | undefined;
}

/** The header with which a change of another version than the one shown fails. */
export const ifMatch = (etag: string | undefined): { readonly headers: Readonly<Record<string, string>> } => ({
  headers: etag === undefined ? {} : { 'if-match': etag },
});

const LISTED_MAX = 100;

/** A listing in one of the lists that have been shown. */
const shownInLists = (id: string): Project | undefined =>
  queries
    .getQueriesData<{ readonly data?: readonly Project[] }>({ queryKey: ['projects'] })
    .flatMap(([, list]) => (Array.isArray(list?.data) ? list.data : []))
    .find((project) => project.id === id);

/** A listing that waits or was rejected, by way of the lists: moderators cannot read it alone. */
const findInLists = async (id: string, signal?: AbortSignal): Promise<Project | undefined> => {
  const shown = shownInLists(id);
  if (shown?.status === 'live' && shown.deleted_at === null) return undefined;
  const searches = [
    ...(shown ? [{ status: 'all', q: shown.name } as const] : []),
    { status: 'pending', sort: 'oldest' } as const,
    { status: 'rejected' } as const,
  ];
  for (const search of searches) {
    const query = { ...search, limit: LISTED_MAX };
    const listed = await dataOf(client.projects.browse({ query, ...(signal && { signal }) }));
    const found = listed.find((project) => project.id === id);
    if (found) return found;
  }
  return undefined;
};

export const readListing = async (id: string, signal?: AbortSignal): Promise<Listing> => {
  const current = session.value;
  if (current.state === 'signed-in' && !current.user.is_admin) {
    const listed = await findInLists(id, signal);
    if (listed && (listed.status !== 'live' || listed.deleted_at !== null)) return { project: listed, etag: undefined };
  }
  const { body, headers } = await replyOf(client.projects.read({ params: { project: id }, ...(signal && { signal }) }));
  return { project: body.data, etag: headers.get('etag') ?? undefined };
};

const keyOf = (id: string) => ['projects', 'one', id] as const;

export const useListing = (id: string, { isEnabled = true } = {}) =>
  useResource(keyOf(id), (signal) => readListing(id, signal), { poll: true, isEnabled });

/** The listing as it was last shown; read when it was not. A decision names the version that was seen. */
export const shownListing = async (id: string): Promise<Listing> =>
  queries.getQueryData<Listing>(keyOf(id)) ?? (await readListing(id));

const readDossier = async (id: string, signal: AbortSignal) =>
  await dataOf(client.projects.dossier({ params: { project: id }, signal }));

export const useDossier = (id: string) => useResource(['projects', 'dossier', id], (signal) => readDossier(id, signal));

/** Reads what the queue will show next. */
export const prefetchListing = (id: string): void => {
  void queries.prefetchQuery({ queryKey: keyOf(id), queryFn: ({ signal }) => readListing(id, signal) });
  void queries.prefetchQuery({
    queryKey: ['projects', 'dossier', id],
    queryFn: ({ signal }) => readDossier(id, signal),
  });
};

/** The categories, and their names by slug. */
export const useCategories = () => {
  const { data = [] } = useResource(['categories'], (signal) => dataOf(client.categories.list({ signal })));
  const names = new Map(data.map(({ slug, name }) => [slug, name]));
  return { slugs: data.map(({ slug }) => slug), nameOf: (slug: string) => names.get(slug) ?? slug };
};

/** Takes the latest decision about a listing back: its status becomes what it was. Mails that went out stay sent. */
export const undoDecision = async (id: string): Promise<void> => {
  const [latest] = await dataOf(client.revisions.list({ params: { project: id }, query: { limit: 1 } }));
  if (!latest?.applied.includes('status')) return;
  await dataOf(
    client.revisions.restore({ params: { project: id, revision: latest.id }, body: { fields: ['status'] } }),
  );
};
