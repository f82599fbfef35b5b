import type { CatalogEntry } from '#catalog/types.ts';
import { MapItem, Project } from '#contract/projects.ts';
import { Fragment } from '#model/fragment.ts';
import { canChange } from '#model/policy.ts';
import type { UserRecord } from '#model/user.ts';
import { processMemoryMb } from '#platform/process-memory.ts';
import { EntryFragments } from './entry-fragments.ts';
import { editorView, mapItemView, publicView } from './view.ts';

const MB = 1024 * 1024;

/** A tenth of the process's memory within bounds: the fragments of 70,000 to 115,000 listings. */
const publicMb = Math.min(160, Math.max(96, processMemoryMb / 10));

const publicListings = new EntryFragments((entry) => Fragment.of(Project, publicView(entry)), publicMb * MB);
const editorListings = new EntryFragments((entry) => Fragment.of(Project, editorView(entry)), 16 * MB);
const mapItems = new EntryFragments((entry) => Fragment.of(MapItem, mapItemView(entry)), 16 * MB);

/** A listing with the fields for its owner and administrators. */
export const editorListing = (entry: CatalogEntry): Fragment<Project> => editorListings.of(entry);

/** A listing with the fields that the caller may read. */
export const listingFor = (entry: CatalogEntry, caller: UserRecord | undefined): Fragment<Project> =>
  caller && canChange(entry.project, caller) ? editorListing(entry) : publicListings.of(entry);

/** An item of the map feed, for an entry with coordinates. */
export const mapItem = (entry: CatalogEntry): Fragment<MapItem> => mapItems.of(entry);
