import { allCategories, insertCategory, removeCategory, replaceCategories } from '#data/categories.ts';
import { changeCounts, readCounts } from '#data/counts.ts';
import { writeProjects } from '#data/import-projects.ts';
import { countsKey, inFeed, projectKey } from '#data/keys.ts';
import { removeLeftovers } from '#data/leftovers.ts';
import { projectOf } from '#data/project-items.ts';
import { insertProject, removeProject, replaceProject } from '#data/projects.ts';
import { findRating, removeRating, replaceRating } from '#data/ratings.ts';
import { findItem } from '#data/read.ts';
import { replaceCounts } from '#data/recount.ts';
import { userItem } from '#data/user-items.ts';
import { hasVoted, insertVote, removeVote } from '#data/votes.ts';
import { putItem, transact, updateItem } from '#data/write.ts';
import type { ProjectRecord } from '#domain/projects/project.ts';
import { allNotifications } from '#domain/users/user.ts';
import { now } from '#platform/clock.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';

/** What a write is told when somebody else was faster, or when what it is about is gone: no failure of anything. */
const REFUSALS = new Set(['ConditionFailed', 'ProjectChanged', 'CategoryChanged', 'AppError']);

const owners = ['usr_a', 'usr_b', 'usr_c'];
const voters = ['usr_v0', 'usr_v1', 'usr_v2', 'usr_v3', 'usr_v4'];

const POISON = 'prj_poison';

/** A change of the project with this id, or of something else. */
type Work = (id: string) => Promise<void>;

/** Items that nobody can make sense of, some of them about a project that is there. */
const poisons = (id: string, record: ProjectRecord): readonly Readonly<Record<string, unknown>>[] => [
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

/** Whether an item was written by `Writers` to be skipped. */
export const isPoisoned = (item: Readonly<Record<string, unknown>>): boolean => String(item.pk).startsWith(POISON);

/** Random changes by the ways in which the service writes, some of them refused. */
export class Writers {
  readonly #random: Random;
  readonly #world: World;
  readonly #size: number;
  #made = 0;
  #madeCategories = 0;
  #poisoned = 0;
  /** Ids of projects that are probably there. */
  readonly ids: string[] = [];
  /** Ids of projects that were removed for good. */
  readonly gone: string[] = [];
  /** The project that has come back last. */
  returned: string | undefined;
  /** How many changes were done, refused ones left out. */
  done = 0;

  /** `size` is the number of projects around which the table settles. */
  constructor(random: Random, world: World, size: number) {
    this.#random = random;
    this.#world = world;
    this.#size = size;
  }

  /** Lets the owners and voters join. */
  async begin(): Promise<void> {
    for (const id of [...owners, ...voters]) {
      const user = {
        id,
        email: null,
        email_verified: false,
        name: null,
        avatar_url: null,
        bio: null,
        website: null,
        role: 'user',
        is_admin: false,
        role_decided: false,
        is_banned: false,
        ban_reason: null,
        joined_at: now(),
        notifications: allNotifications,
        comment_count: 0,
        erased_at: null,
        version: 1,
      } as const;
      await putItem(userItem(user, now()));
    }
  }

  /** Decides on a change; it is made when the answer is called. */
  next(): () => Promise<void> {
    const random = this.#random;
    const [, work] = this.#kinds().find(([chance]) => random.chance(chance)) ?? [];
    const id = this.#concerned();
    return async () => {
      try {
        await (work?.(id) ?? this.#update(id));
        this.done += 1;
      } catch (error) {
        if (!(error instanceof Error) || !REFUSALS.has(error.name)) throw error;
      }
    };
  }

  /** Each is asked in turn whether it is its turn. */
  #kinds(): readonly (readonly [number, Work])[] {
    const { length } = this.ids;
    return [
      [length < this.#size ? 0.4 : 0.05, () => this.#insert()],
      [length > this.#size / 2 ? 0.1 : 0, (id) => this.#remove(id)],
      [this.gone.length > 0 ? 0.08 : 0, () => this.#bringBack()],
      [0.03, (id) => this.#recount(id)],
      [0.15, (id) => this.#vote(id)],
      [0.12, (id) => this.#rate(id)],
      [0.12, (id) => this.#view(id)],
      [0.1, () => this.#changeCategory()],
      [0.03, () => this.#removeCategory()],
      [0.03, (id) => this.#poison(id)],
      [0.07, (id) => this.#redeliver(id)],
      [0.2, (id) => this.#decide(id)],
    ];
  }

  /** Mostly anyone; often what has just come back, whose version is a time, and clocks differ. */
  #concerned(): string {
    const { returned, ids } = this;
    if (returned !== undefined && ids.includes(returned) && this.#random.chance(0.3)) return returned;
    return this.#random.pick(ids) ?? this.#newId();
  }

  #newId(): string {
    this.#made += 1;
    return `prj_${((this.#made * 7919) % 10_007).toString(36)}`;
  }

  async #insert(): Promise<void> {
    const id = this.#newId();
    await insertProject(await this.#drawn(id), []);
    this.ids.push(id);
  }

  async #update(id: string): Promise<void> {
    const previous = await this.#stored(id);
    const drawn = await this.#drawn(id);
    const moves = this.#random.chance(0.1);
    const slug = moves ? `${drawn.slug}-${previous.version}` : previous.slug;
    const earlier_slugs = moves ? [...previous.earlier_slugs, previous.slug] : previous.earlier_slugs;
    await replaceProject(previous, { ...drawn, slug, earlier_slugs, version: previous.version + 1 }, []);
  }

  /** Nothing but the status, or the deletion, or the place. */
  async #decide(id: string): Promise<void> {
    const previous = await this.#stored(id);
    const { status, deleted_at, latitude, longitude } = this.#world.project(id);
    const change = this.#random.pick([{ status }, { deleted_at }, { latitude, longitude }]);
    await replaceProject(previous, { ...previous, ...change, version: previous.version + 1 }, []);
  }

  async #remove(id: string): Promise<void> {
    await removeProject(await this.#stored(id), []);
    this.ids.splice(this.ids.indexOf(id), 1);
    this.gone.push(id);
  }

  async #bringBack(): Promise<void> {
    const id = this.#random.chance(0.5) ? this.#random.pick(this.gone) : String(this.gone.at(-1));
    // As the task of the removal does, and the import where it has not.
    await removeLeftovers(id, []);
    const next = { ...(await this.#drawn(id)), version: Date.parse(now()) };
    const [refused] = await writeProjects([{ previous: undefined, next }]);
    if (refused) throw refused;
    this.gone.splice(this.gone.indexOf(id), 1);
    this.ids.push(id);
    this.returned = id;
  }

  async #vote(id: string): Promise<void> {
    const voter = this.#random.pick(voters);
    await ((await hasVoted(id, voter)) ? removeVote : insertVote)(id, voter);
  }

  async #rate(id: string): Promise<void> {
    const voter = this.#random.pick(voters);
    const rating = await findRating(id, voter);
    if (rating !== undefined && this.#random.chance(0.3)) await removeRating(id, voter, rating);
    else await replaceRating(id, voter, rating, 1 + this.#random.below(5));
  }

  async #view(id: string): Promise<void> {
    if (!(await findItem(projectKey(id)))) return;
    await transact([changeCounts(id, { views_count: 1 + this.#random.below(3), comments_count: 1 })]);
  }

  async #recount(id: string): Promise<void> {
    const previous = await readCounts(id);
    const version = previous.version + 1 + this.#random.below(3);
    const upvote_count = this.#random.below(5) ** 2;
    const { comments_count, ratings_count, ratings_sum } = previous;
    await replaceCounts(id, previous, { upvote_count, comments_count, ratings_count, ratings_sum, version });
  }

  async #changeCategory(): Promise<void> {
    const categories = await allCategories();
    const { id: _, ...drawn } = this.#world.category();
    if (categories.length < 8 && this.#random.chance(0.4)) {
      this.#madeCategories += 1;
      await insertCategory({ ...drawn, id: `cat_${this.#madeCategories}`, version: 1 });
    } else if (categories.length > 0) {
      const previous = this.#random.pick(categories);
      await replaceCategories([{ previous, next: { ...drawn, id: previous.id, version: previous.version + 1 } }], []);
    }
  }

  async #removeCategory(): Promise<void> {
    const categories = await allCategories();
    if (categories.length > 0) await removeCategory(this.#random.pick(categories), []);
  }

  async #poison(projectId: string): Promise<void> {
    this.#poisoned += 1;
    const id = `${POISON}${this.#poisoned}`;
    const key = { pk: id, sk: 'CARD' };
    const poison = this.#random.pick(poisons(id, await this.#stored(projectId)));
    await putItem({ ...poison, ...key, ...inFeed(now(), key) });
  }

  /** Puts an entry of the feed behind all others although nothing has changed. */
  async #redeliver(id: string): Promise<void> {
    const key = this.#random.pick([projectKey(id), countsKey(id)]);
    if (await findItem(key)) await updateItem(key, { set: inFeed(now(), key) });
  }

  async #stored(id: string): Promise<ProjectRecord> {
    const item = await findItem(projectKey(id));
    if (!item) throw Object.assign(new Error(`${id} is gone.`), { name: 'ProjectChanged' });
    return projectOf(item);
  }

  /** A random state of a project that carries only categories that are there. */
  async #drawn(id: string): Promise<ProjectRecord> {
    const held = new Set((await allCategories()).map(({ slug }) => slug));
    const drawn = this.#world.project(id);
    return { ...drawn, version: 1, categories: drawn.categories.filter((slug) => held.has(slug)) };
  }
}
