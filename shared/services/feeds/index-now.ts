import { entriesOf, findBatch } from '#data/batches.ts';
import { existingProjects, findProject } from '#data/projects.ts';
import type { Message } from '#events/catalogue.ts';
import type { reportChanges } from '#events/subscriptions.ts';
import { isOpen } from '#model/policy.ts';
import type { ProjectRecord } from '#model/project.ts';
import { environment } from '#platform/environment.ts';
import { postOutbound } from '#platform/outbound.ts';
import { addressOf, listingAddress } from './addresses.ts';

type ReportedMessage = Message<(typeof reportChanges)['kinds'][number]>;
type ReportedEvent = Exclude<ReportedMessage, { kind: 'batchEnded' }>;

const changedFields = ({ data }: ReportedEvent): readonly string[] => {
  if ('changed' in data) return data.changed;
  return 'applied' in data ? data.applied : [];
};

/** The address of a listing, and those that redirect to it. */
const allAddressesOf = ({ slug, earlier_slugs }: ProjectRecord): readonly string[] =>
  [slug, ...earlier_slugs].map(listingAddress);

/** The addresses that an event concerns: those of a listing that is public, or was until the event. */
const addressesIn = async (event: ReportedEvent): Promise<readonly string[]> => {
  const { project_id, slug, status } = event.data;
  // A dead letter about a project that was deleted with its owner has no slug.
  if (event.kind === 'projectDeleted') return status === 'live' && slug !== '' ? [listingAddress(slug)] : [];
  const project = (await findProject(project_id))?.project;
  if (!project) return [];
  const changed = changedFields(event);
  const mayHaveBeenPublic =
    project.published_at !== null && (changed.includes('status') || changed.includes('deleted_at'));
  if (!isOpen(project) && !mayHaveBeenPublic) return [];
  return changed.includes('slug') ? allAddressesOf(project) : [listingAddress(project.slug)];
};

/** The protocol permits 10,000 addresses, and a listing can have earlier ones. */
const LISTINGS_PER_REPORT = 1000;

/**
 * The addresses that a batch concerns: those of its listings that were public at any time. Of a bulk change none, because each of
 * its listings has an event of its own.
 */
async function* addressesOfBatch(batchId: string): AsyncGenerator<readonly string[]> {
  if ((await findBatch(batchId))?.kind === 'bulk') return;
  let ids: string[] = [];
  const addresses = async () => {
    const projects = await existingProjects(ids);
    ids = [];
    return projects.filter(({ published_at }) => published_at !== null).flatMap(allAddressesOf);
  };
  for await (const { outcome, project } of entriesOf(batchId)) {
    if (!project || (outcome !== 'created' && outcome !== 'updated')) continue;
    ids.push(project.id);
    if (ids.length === LISTINGS_PER_REPORT) yield await addresses();
  }
  if (ids.length > 0) yield await addresses();
}

/** @throws {Error} when the report is not accepted. */
const report = async (urlList: readonly string[]): Promise<void> => {
  const { indexNow, siteUrl } = environment();
  if (!indexNow || urlList.length === 0) return;
  const { key, endpoint } = indexNow;
  const { status, error } = await postOutbound({
    url: endpoint,
    headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'Directory-IndexNow/1' },
    body: JSON.stringify({ host: new URL(siteUrl).host, key, keyLocation: addressOf(`/${key}.txt`), urlList }),
  });
  if (status !== 200 && status !== 202) throw new Error(error ?? `IndexNow responded with status ${status}.`);
};

/**
 * Reports changes of public listings to search engines by IndexNow. Harmless to repeat.
 * @throws {Error} when a report is not accepted: the bus repeats the delivery.
 */
export const reportChange = async (message: ReportedMessage): Promise<void> => {
  const { features, indexNow, siteIndex } = environment();
  if (!features.feeds || !indexNow || !siteIndex) return;
  if (message.kind !== 'batchEnded') {
    await report(await addressesIn(message));
    return;
  }
  for await (const addresses of addressesOfBatch(message.data.batch_id)) await report(addresses);
};
