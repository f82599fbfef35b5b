import { allCategories, deleteCategory, insertCategory, replaceCategories } from '#data/categories.ts';
import { changeCounts, readCounts, replaceCounts } from '#data/counts.ts';
import { deleteOrphanedData } from '#data/erasure.ts';
import { writeProjects } from '#data/imports.ts';
import { countsKey, inFeed, projectKey } from '#data/keys.ts';
import { deleteProject, insertProject, projectOf, replaceProject } from '#data/projects.ts';
import { clearVote, deleteRating, findRating, findVote, replaceRating, setVote } from '#data/reactions.ts';
import { findItem } from '#data/read.ts';
import { userItem } from '#data/users.ts';
import { putItem, transact, updateItem } from '#data/write.ts';
import { isOpen } from '#model/policy.ts';
import type { ProjectRecord } from '#model/project.ts';
import { allNotifications } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newBatch } from '#services/projects/batches.ts';
import { notFound } from '#shared/errors.ts';
import { origin } from '#test/catalog/fixtures.ts';
import type { Random } from '#test/catalog/random.ts';
import type { FeedSimulation } from '#test/catalog/simulation.ts';

/** Errors by name of writes that lose a race or whose target was removed. */
const EXPECTED_ERRORS = new Set(['ConditionFailed', 'ProjectChanged', 'CategoryChanged', 'CategoryGone', 'AppError']);

const owners = ['usr_a', 'usr_b', 'usr_c'];
const voters = ['usr_v0', 'usr_v1', 'usr_v2', 'usr_v3', 'usr_v4'];

const MALFORMED = 'prj_poison';

/** A change of the given project; some kinds of change ignore the id. */
type Change = (id: string) => Promise<void>;

/** Malformed feed items, some with the id of an existing project. */
const malformedItems = (id: string, record: ProjectRecord): readonly Readonly<Record<string, unknown>>[] => [
  { type: 'riddle' },
  { type: 'project', id },
  { type: 'project', ...record, version: 1e15, tags: ['a', 7] },
  { type: 'project', ...record, version: 1e15, latitude: 'north' },
  { type: 'project', ...record, version: 'newest' },
  { type: 'counts' },
  { type: 'counts', project_id: record.id, version: 1e15, upvote_count: 'many' },
  { type: 'projectRemoved' },
  { type: 'category', id },
];

/** Whether an item is one of the malformed items that readers must skip. */
export const isMalformed = (item: Readonly<Record<string, unknown>>): boolean => String(item.pk).startsWith(MALFORMED);

/** Random changes through the service's own data layer, some of which are rejected. */
export class Writers {
  readonly #random: Random;
  readonly #feed: FeedSimulation;
  readonly #size: number;
  #created = 0;
  #createdCategories = 0;
  #malformed = 0;
  /** Ids of existing projects, except that a concurrent change may have removed some. */
  readonly ids: string[] = [];
  /** Ids of removed projects. */
  readonly removed: string[] = [];
  /** The id of the most recently restored project. */
  restored: string | undefined;
  /** The number of successful changes. */
  done = 0;

  /** @param size the approximate number of projects in the long run. */
  constructor(random: Random, feed: FeedSimulation, size: number) {
    this.#random = random;
    this.#feed = feed;
    this.#size = size;
  }

  async createUsers(): Promise<void> {
    for (const id of [...owners, ...voters]) {
      const user = {
        id,
        email: null,
        email_verified: false,
        email_issued_at: null,
        name: null,
        avatar_url: null,
        bio: null,
        website: null,
        role: 'user',
        is_admin: false,
        role_decided: false,
        is_banned: false,
        ban_reason: null,
        ban_expires_at: null,
        joined_at: now(),
        notifications: allNotifications,
        comment_count: 0,
        erased_at: null,
        version: 1,
      } as const;
      await putItem(userItem(user, now()));
    }
  }

  /** Chooses the next change. @returns a function that executes it. */
  next(): () => Promise<void> {
    const random = this.#random;
    const [, work] = this.#kinds().find(([chance]) => random.chance(chance)) ?? [];
    const id = this.#targetId();
    return async () => {
      try {
        await (work?.(id) ?? this.#update(id));
        this.done += 1;
      } catch (error) {
        if (!(error instanceof Error) || !EXPECTED_ERRORS.has(error.name)) throw error;
      }
    };
  }

  /** The kinds of change in order, each with the probability that it is chosen if no earlier one is. */
  #kinds(): readonly (readonly [number, Change])[] {
    const { length } = this.ids;
    return [
      [length < this.#size ? 0.4 : 0.05, () => this.#insert()],
      [length > this.#size / 2 ? 0.1 : 0, (id) => this.#remove(id)],
      [this.removed.length > 0 ? 0.08 : 0, () => this.#restore()],
      [0.03, (id) => this.#recount(id)],
      [0.15, (id) => this.#vote(id)],
      [0.12, (id) => this.#rate(id)],
      [0.12, (id) => this.#view(id)],
      [0.1, () => this.#changeCategory()],
      [0.03, () => this.#removeCategory()],
      [0.03, (id) => this.#writeMalformed(id)],
      [0.07, (id) => this.#redeliver(id)],
      [0.2, (id) => this.#changeOneField(id)],
    ];
  }

  /** Any project; preferably the one restored last, because its version is the time of a skewed clock. */
  #targetId(): string {
    const { restored, ids } = this;
    if (restored !== undefined && ids.includes(restored) && this.#random.chance(0.3)) return restored;
    return this.#random.pick(ids) ?? this.#newId();
  }

  #newId(): string {
    this.#created += 1;
    return `prj_${((this.#created * 7919) % 10_007).toString(36)}`;
  }

  async #insert(): Promise<void> {
    const id = this.#newId();
    await insertProject(await this.#randomState(id), origin, []);
    this.ids.push(id);
  }

  async #update(id: string): Promise<void> {
    const previous = await this.#stored(id);
    const state = await this.#randomState(id);
    const moves = this.#random.chance(0.1);
    const slug = moves ? `${state.slug}-${previous.version}` : previous.slug;
    const earlier_slugs = moves ? [...previous.earlier_slugs, previous.slug] : previous.earlier_slugs;
    await replaceProject(previous, { ...state, slug, earlier_slugs, version: previous.version + 1 }, origin, []);
  }

  /** Changes only the status, the deletion or the location. */
  async #changeOneField(id: string): Promise<void> {
    const previous = await this.#stored(id);
    const { status, deleted_at, latitude, longitude } = this.#feed.project(id);
    const change = this.#random.pick([{ status }, { deleted_at }, { latitude, longitude }]);
    await replaceProject(previous, { ...previous, ...change, version: previous.version + 1 }, origin, []);
  }

  async #remove(id: string): Promise<void> {
    await deleteProject(await this.#stored(id), []);
    this.ids.splice(this.ids.indexOf(id), 1);
    this.removed.push(id);
  }

  async #restore(): Promise<void> {
    const id = this.#random.chance(0.5) ? this.#random.pick(this.removed) : String(this.removed.at(-1));
    // As the cleanup after the removal does, or else the import.
    await deleteOrphanedData(id, []);
    const next = { ...(await this.#randomState(id)), version: Date.parse(now()) };
    const [refused] = await writeProjects([{ previous: undefined, next }], origin);
    if (refused) throw refused;
    this.removed.splice(this.removed.indexOf(id), 1);
    this.ids.push(id);
    this.restored = id;
  }

  /** As the services do before a reaction. */
  async #mustBeOpen(id: string): Promise<void> {
    if (!isOpen(await this.#stored(id))) throw notFound();
  }

  async #vote(id: string): Promise<void> {
    const voter = this.#random.pick(voters);
    const vote = await findVote(id, voter);
    const change = vote ? () => clearVote(id, voter, vote) : () => setVote(id, voter, undefined, undefined);
    await this.#mustBeOpen(id);
    await change();
  }

  async #rate(id: string): Promise<void> {
    const voter = this.#random.pick(voters);
    const rating = await findRating(id, voter);
    const isRemoved = rating !== undefined && this.#random.chance(0.3);
    const next = isRemoved ? 0 : 1 + this.#random.below(5);
    await this.#mustBeOpen(id);
    if (isRemoved) await deleteRating(id, voter, rating);
    else await replaceRating(id, voter, rating, next);
  }

  async #view(id: string): Promise<void> {
    if (!(await findItem(projectKey(id)))) return;
    await transact([changeCounts(id, { views_count: 1 + this.#random.below(3), comments_count: 1 })]);
  }

  async #recount(id: string): Promise<void> {
    const previous = await readCounts(id);
    const version = previous.version + 1 + this.#random.below(3);
    // At least one per voter, because their votes may be deleted afterwards and counters are never negative.
    const upvote_count = voters.length + this.#random.below(5) ** 2;
    const { comments_count, ratings_count, ratings_sum, reports_open } = previous;
    await replaceCounts(id, previous, {
      upvote_count,
      comments_count,
      ratings_count,
      ratings_sum,
      reports_open,
      version,
    });
  }

  async #changeCategory(): Promise<void> {
    const categories = await allCategories();
    const { id: _, ...state } = this.#feed.category();
    if (categories.length < 8 && this.#random.chance(0.4)) {
      this.#createdCategories += 1;
      await insertCategory({ ...state, id: `cat_${this.#createdCategories}`, version: 1 });
    } else if (categories.length > 0) {
      const previous = this.#random.pick(categories);
      await replaceCategories([{ previous, next: { ...state, id: previous.id, version: previous.version + 1 } }], []);
    }
  }

  async #removeCategory(): Promise<void> {
    const categories = await allCategories();
    if (categories.length > 0)
      await deleteCategory(this.#random.pick(categories), [], newBatch({ id: 'usr_1' }, 'category_removal', 'Delete'));
  }

  async #writeMalformed(projectId: string): Promise<void> {
    this.#malformed += 1;
    const id = `${MALFORMED}${this.#malformed}`;
    const key = { pk: id, sk: 'PROJECT' };
    const malformed = this.#random.pick(malformedItems(id, await this.#stored(projectId)));
    await putItem({ ...malformed, ...key, ...inFeed(now(), key) });
  }

  /** Stamps an entry of the feed again without changing it. */
  async #redeliver(id: string): Promise<void> {
    const key = this.#random.pick([projectKey(id), countsKey(id)]);
    if (await findItem(key)) await updateItem(key, { set: inFeed(now(), key) });
  }

  async #stored(id: string): Promise<ProjectRecord> {
    const item = await findItem(projectKey(id));
    if (!item) throw Object.assign(new Error(`${id} was removed.`), { name: 'ProjectChanged' });
    return projectOf(item);
  }

  /** A random state of a project with existing categories only. */
  async #randomState(id: string): Promise<ProjectRecord> {
    const existing = new Set((await allCategories()).map(({ slug }) => slug));
    const state = this.#feed.project(id);
    return { ...state, version: 1, categories: state.categories.filter((slug) => existing.has(slug)) };
  }
}
