import type { Project } from '#contract/projects.ts';
import { client, dataOf, replyOf } from '../api.ts';
import * as strings from '../strings.ts';
import { queries, useResource } from './queries.ts';
import { session } from './session.ts';

/** A listing with the tag that a change of it has to name. */
export interface Listing {
  readonly project: Project;
  readonly etag: string | undefined;
}

/** The header with which a change of another version than the one shown fails. */
export const ifMatch = (etag: string | undefined): { readonly headers: Readonly<Record<string, string>> } => ({
  headers: etag === undefined ? {} : { 'if-match': etag },
});

const dossierKey = (id: string) => ['projects', 'dossier', id] as const;

const readDossier = async (id: string, signal: AbortSignal) => {
  const { body, headers } = await replyOf(client.projects.dossier({ params: { project: id }, signal }));
  return { ...body.data, etag: headers.get('etag') ?? undefined };
};

export const useDossier = (id: string) => useResource(dossierKey(id), (signal) => readDossier(id, signal));

/** The dossier has the listing too, for moderators, who read a listing that is not live nowhere else. */
export const readListing = async (id: string, signal?: AbortSignal): Promise<Listing> => {
  const current = session.value;
  if (current.state === 'signed-in' && !current.user.is_admin) {
    const query = {
      queryKey: dossierKey(id),
      queryFn: ({ signal: given }: { signal: AbortSignal }) => readDossier(id, given),
    };
    const { project, etag } = await queries.fetchQuery({ ...query, staleTime: 0 });
    return { project, etag };
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

/** Reads what the queue will show next. */
export const prefetchListing = (id: string): void => {
  void queries.prefetchQuery({ queryKey: keyOf(id), queryFn: ({ signal }) => readListing(id, signal) });
  void queries.prefetchQuery({ queryKey: dossierKey(id), queryFn: ({ signal }) => readDossier(id, signal) });
};

/** The categories, and their names by slug. */
export const useCategories = () => {
  const { data = [] } = useResource(['categories'], (signal) => dataOf(client.categories.list({ signal })), {
    part: strings.states.parts.categories,
  });
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
