import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Project } from '#contract/projects.ts';
import { Fragment } from '#model/fragment.ts';
import { bytesInResponse, LIST_BYTES_MAX, shortenedToFit } from '#model/response-size.ts';
import { fittingFragments, shortListing } from '#services/projects/short-listings.ts';

const AT = '2026-01-01T00:00:00.000Z';
const longest = { url: 2048, text: 10_000 };

/** A listing whose texts have the length that its contract permits, or a part of it, in one character. */
const listing = (character: string, part: number): Project => {
  const text = (max: number): string => character.repeat(Math.floor((part * max) / Array.from(character).length));
  const list = (count: number, max: number): string[] => Array.from({ length: count }, () => text(max));
  const changes = [{ field: 'long_description' as const, before: text(longest.text), after: text(longest.text) }];
  return {
    ...{ id: 'prj_01ARZ3NDEKTSV4RRFFQ69G5FAV', slug: 's'.repeat(100), plan: 'premium', pricing_type: 'free' },
    ...{ name: text(100), url: text(longest.url), description: text(500), long_description: text(longest.text) },
    ...{ categories: list(5, 50), spheres: list(5, 50), tags: list(10, 40) },
    ...{ logo_url: text(longest.url), video_url: text(longest.url), screenshots: list(10, longest.url) },
    ...{ status: 'live', owner_id: 'usr_01ARZ3NDEKTSV4RRFFQ69G5FAV' },
    ...{ upvote_count: 1_000_000, average_rating: 4.55, ratings_count: 1_000_000, weighted_rating: 4.55 },
    ...{ comments_count: 1_000_000, views_count: 1_000_000, latitude: 48.123_456_7, longitude: -122.123_456_7 },
    ...{ address_city: text(100), address_country: text(100), fields: { story: text(16_000) } },
    ...{ created_at: AT, updated_at: AT, published_at: AT, deleted_at: AT, claimed_at: AT },
    ...{ rejection_reason: text(1000), paid_at: AT, publish_at: AT, approved_at: AT },
    pending_revision: { id: 'rev_01ARZ3NDEKTSV4RRFFQ69G5FAV', at: AT, changes },
    fields_missing: list(40, 40).map((key) => key.replaceAll(/./gs, 'k')),
    possible_duplicates: Array.from({ length: 10 }, () => 'prj_01ARZ3NDEKTSV4RRFFQ69G5FAV'),
    rule: { id: 'rul_01ARZ3NDEKTSV4RRFFQ69G5FAV', name: text(100), action: 'hold' },
  };
};

const mixed = `${'a'.repeat(99)}\u{1F98A}`;

const generated = fc
  .record({
    character: fc.constantFrom('a', '"', '\\', '\n', 'ü', '漢', '\u{1F98A}', mixed),
    part: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  })
  .map(({ character, part }) => listing(character, part));

/** The listings of a collection. */
const fittingProjects = (projects: readonly Project[]): Project[] => shortenedToFit(projects, shortListing);

/** The largest listings, and those that the escapes of a fragment make larger. */
const largest: [Project[]][] = [[[listing('\u{1F98A}', 1)]], [[listing('"', 1)]], [[listing(mixed, 0.69)]]];

const bytesOf = (texts: readonly string[]): number => bytesInResponse(texts.join(','));

/** What no list leaves out. */
const kept = ({ id, slug, name, url, description, categories, tags, status, rule }: Project) => ({
  ...{ id, slug, name, url, description },
  ...{ categories, tags, status, rule },
});

const expectCut = (all: readonly Project[], listed: readonly Project[]): void => {
  for (const [at, original] of all.entries()) {
    const project = listed[at];
    expect(project && kept(project)).toEqual(kept(original));
    if (!project?.truncated) expect(project).toEqual(original);
  }
};

it('a hundred listings of any size leave room in a response for what stands beside them', () => {
  fc.assert(
    fc.property(fc.array(generated, { minLength: 1, maxLength: 5 }), (kinds) => {
      const all = Array.from({ length: 100 }, (_, at) => kinds[at % kinds.length] as Project);
      const texts = fittingFragments(all.map((one) => Fragment.of(Project, one))).map(({ text }) => text);
      expect(bytesOf(texts)).toBeLessThanOrEqual(3_500_000);
      expectCut(
        all,
        texts.map((text) => JSON.parse(text) as Project),
      );
    }),
    { numRuns: 10, seed: 1, examples: largest },
  );
});

it('two hundred listings of any size are a collection that fits into a response', () => {
  fc.assert(
    fc.property(fc.array(generated, { minLength: 1, maxLength: 5 }), (kinds) => {
      const all = Array.from({ length: 200 }, (_, at) => kinds[at % kinds.length] as Project);
      const projects = fittingProjects(all);
      expect(bytesOf(projects.map((project) => JSON.stringify(project)))).toBeLessThanOrEqual(LIST_BYTES_MAX);
      expectCut(all, projects);
    }),
    { numRuns: 10, seed: 1, examples: largest },
  );
});

it('a listing loses no more than it must', () => {
  const half = { ...listing('a', 0.1), long_description: '"'.repeat(10_000), pending_revision: null };
  const [short] = fittingProjects(Array.from({ length: 200 }, () => half));
  expect(short).toEqual({ ...half, long_description: '"'.repeat(500), truncated: true });
});
