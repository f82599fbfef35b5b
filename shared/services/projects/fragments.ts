import { LRUCache } from 'lru-cache';
import type { CatalogEntry } from '#catalog/types.ts';
import { MapItem, Project } from '#contract/projects.ts';
import type { Caller } from '#model/api-key.ts';
import { Fragment } from '#model/fragment.ts';
import { canChange } from '#model/policy.ts';
import { functionMemoryMb } from '#platform/environment.ts';
import { mapItemView, ownerView, projectView, publicView, readerOf, staffView } from './read.ts';

const MB = 1024 * 1024;

/** The objects around the text of a fragment: fragment, digest, entry and their places in the cache. */
const OVERHEAD_BYTES = 250;

/** V8 stores two bytes per character when one of them is not in Latin-1. */
const bytesOf = ({ text }: Fragment): number => OVERHEAD_BYTES + text.length * (/[^\0-\xff]/.test(text) ? 2 : 1);

/**
 * Caches fragments of the catalog's entries by the identity of the entry, which changes with its content, so that no
 * fragment outlives the version that it was made from.
 * @param bytesMax of the memory that the fragments take, approximately.
 */
export const cachedFragments = <T extends object>(make: (entry: CatalogEntry) => Fragment<T>, bytesMax: number) => {
  const cache = new LRUCache<CatalogEntry, Fragment<T>>({
    maxSize: bytesMax,
    sizeCalculation: bytesOf,
    memoMethod: make,
  });
  return (entry: CatalogEntry): Fragment<T> => cache.memo(entry);
};

/** A tenth of the process's memory within bounds: the fragments of 70,000 to 115,000 listings. */
const publicMb = Math.min(160, Math.max(96, Math.round(functionMemoryMb() / 10)));

const publicListing = cachedFragments((entry) => Fragment.of(Project, publicView(entry)), publicMb * MB);

const ownerListing = cachedFragments((entry) => Fragment.of(Project, ownerView(entry)), 8 * MB);

/** A listing with the fields for administrators. */
export const staffListing = cachedFragments((entry) => Fragment.of(Project, staffView(entry)), 16 * MB);

/** A listing with the fields that the caller may read. */
export const listingFor = (entry: CatalogEntry, caller: Caller | undefined): Fragment<Project> => {
  if (!caller) return publicListing(entry);
  const reader = readerOf(entry.project, caller);
  if (canChange(entry.project, caller)) return reader === 'staff' ? staffListing(entry) : ownerListing(entry);
  // Moderators and API keys read more values than visitors.
  return reader === 'public' ? publicListing(entry) : Fragment.of(Project, projectView(entry, caller));
};

/** An item of the map feed, for an entry with coordinates. */
export const mapItem = cachedFragments((entry) => Fragment.of(MapItem, mapItemView(entry)), 16 * MB);
