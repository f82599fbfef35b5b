import type { Project } from '#contract/projects.ts';
import { bodyOf, client, dataOf, responseOf } from '../api.ts';
import * as strings from '../strings.ts';
import { queries, useResource } from './queries.ts';
import { session } from './session.ts';

/** A listing with the tag that a change of it has to name. */
export interface Listing {
  readonly project: Project;
  readonly etag: string | undefined;
}

/** Whether visitors see a listing. */
export const isPublic = ({ status, deleted_at }: Pick<Project, 'status' | 'deleted_at'>): boolean =>
  status === 'live' && deleted_at === null;

/** The header with which a change of another version than the one shown fails. */
export const ifMatch = (etag: string | undefined): { readonly headers: Readonly<Record<string, string>> } => ({
  headers: etag === undefined ? {} : { 'if-match': etag },
});

const dossierKey = (id: string) => ['projects', 'dossier', id] as const;

const readDossier = async (id: string, signal: AbortSignal) => {
  const { body, headers } = await responseOf(client.projects.dossier({ params: { project: id }, signal }));
  return { ...body.data, etag: headers.get('etag') ?? undefined };
};

export const useDossier = (id: string, { isEnabled = true } = {}) =>
  useResource(dossierKey(id), (signal) => readDossier(id, signal), { isEnabled });

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
  const { body, headers } = await responseOf(
    client.projects.read({ params: { project: id }, ...(signal && { signal }) }),
  );
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

/** The dossier as it was last read; read when it was not. */
export const knownDossier = (id: string) =>
  queries.fetchQuery({
    queryKey: dossierKey(id),
    queryFn: ({ signal }) => readDossier(id, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Reads dossiers that are not known yet, one after the other. A failure shows where a dossier is. */
export const prefetchDossiers = async (ids: readonly string[], { signal }: AbortController): Promise<void> => {
  for (const id of ids) {
    if (signal.aborted) return;
    await knownDossier(id).catch(() => undefined);
  }
};

/** Lists of pending listings are worked off from their beginning, so one page is enough. */
const PENDING_MAX = 100;

/** The listings that wait for a decision, or those that are approved for later. */
export const usePending = (scheduled: 'true' | 'false', { isEnabled = true } = {}) =>
  useResource(
    ['projects', 'queue', { scheduled }],
    (signal) =>
      bodyOf(
        client.projects.browse({
          query: { status: 'pending', scheduled, sort: 'oldest', limit: PENDING_MAX },
          signal,
        }),
      ),
    { poll: true, isEnabled },
  );

/** The categories, and their names by slug. */
export const useCategories = () => {
  const { data = [] } = useResource(['categories'], (signal) => dataOf(client.categories.list({ signal })), {
    part: strings.states.parts.categories,
  });
  const names = new Map(data.map(({ slug, name }) => [slug, name]));
  return {
    slugs: data.map(({ slug }) => slug),
    nameOf: (slug: string) => names.get(slug) ?? slug,
    nameOfId: (id: string) => data.find((one) => one.id === id)?.name ?? id,
  };
};

/** Takes the latest decision about a listing back: its status becomes what it was. Mails that went out stay sent. */
export const undoDecision = async (id: string): Promise<void> => {
  const [latest] = await dataOf(client.revisions.list({ params: { project: id }, query: { limit: 1 } }));
  if (!latest?.applied.includes('status')) return;
  await dataOf(
    client.revisions.restore({ params: { project: id, revision: latest.id }, body: { fields: ['status'] } }),
  );
};
