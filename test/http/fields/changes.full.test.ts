import { expect, it } from 'vitest';
import type { CustomValue, FieldAccess, FieldType } from '#contract/custom-fields.ts';
import { fieldKey } from '#data/keys.ts';
import { updateItem } from '#data/write.ts';
import { Random } from '#test/catalog/random.ts';
import { dataOf, type Person, person } from '#test/support/fixtures.ts';
import { runJob } from '#test/support/jobs.ts';
import { seeds } from '#test/support/sample.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** Random changes of definitions and values, compared with a plain reference after each of them. */

const { server, directory } = await ownDirectory();
const [owner, stranger, moderator] = await Promise.all([person(server), person(server), person(server)]);
const { id: moderatorId } = dataOf<{ id: string }>(await directory.get('/api/user/profile', moderator));
await directory.adminOk('PUT', `/api/admin/users/${moderatorId}`, { role: 'moderator' });
const categories = [(await directory.addCategory()).slug, (await directory.addCategory()).slug] as const;

const FIELDS = '/api/admin/fields';
const CHANGES = 200;

const types: readonly FieldType[] = ['select', 'multi_select', 'number', 'text', 'boolean', 'date'];
/** Few keys, so that they are used again. */
const keys = ['one', 'two', 'three', 'four'];
const accesses: readonly FieldAccess[] = ['public', 'public', 'owner', 'staff'];
/** All fields have the same ones, so that a value of another field would be shown. */
const options = ['a', 'b', 'c'];

interface Definition {
  readonly id: string;
  readonly key: string;
  readonly type: FieldType;
  options: readonly string[];
  min: number | null;
  max: number | null;
  categories: readonly string[];
  required: boolean;
  access: FieldAccess;
  edit: 'owner' | 'staff';
  isDeleted: boolean;
}

interface Listing {
  readonly id: string;
  categories: readonly string[];
  /** By id of the definition, what was written last. */
  readonly values: Map<string, CustomValue>;
  /** By id of the definition, as JSON, all that was ever written. */
  readonly written: Map<string, Set<string>>;
}

const readers: readonly (readonly [name: string, rank: number, who: Person | undefined])[] = [
  ['everyone', 0, undefined],
  ['a stranger', 0, stranger],
  ['the owner', 1, owner],
  ['a moderator', 2, moderator],
  ['an administrator', 2, directory.admin],
];

const mayRead = (rank: number, { access }: Definition): boolean => rank >= { public: 0, owner: 1, staff: 2 }[access];

const applies = (definition: Definition, listing: Listing): boolean =>
  definition.categories.length === 0 || definition.categories.some((slug) => listing.categories.includes(slug));

/** What is shown of a value to those who may see it. */
const shownOf = (definition: Definition, listing: Listing): CustomValue | undefined => {
  const value = listing.values.get(definition.id);
  if (value === undefined || definition.isDeleted || !applies(definition, listing)) return undefined;
  if (definition.type === 'select') return definition.options.includes(String(value)) ? value : undefined;
  if (definition.type !== 'multi_select') return value;
  const chosen = definition.options.filter((option) => (value as string[]).includes(option));
  return chosen.length > 0 ? chosen : undefined;
};

const isRight = ({ type, options: known, min, max }: Definition, value: CustomValue): boolean => {
  if (type === 'select') return known.includes(String(value));
  if (type === 'multi_select') return (value as string[]).every((option) => known.includes(option));
  return type !== 'number' || ((min ?? 0) <= Number(value) && Number(value) <= (max ?? 1e9));
};

/** What an administrator sends of a definition besides key and type. */
interface Attributes extends Omit<Definition, 'id' | 'key' | 'type' | 'options' | 'isDeleted'> {
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}

class Simulation {
  readonly #random: Random;
  #definitions: Definition[] = [];
  readonly #listings: Listing[] = [];
  /** No text, number or date is written twice. */
  #serial = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  async run(): Promise<void> {
    for (const slug of categories) {
      const { id } = await directory.live(owner, { categories: [slug] });
      this.#listings.push({ id, categories: [slug], values: new Map(), written: new Map() });
    }
    for (let change = 0; change < CHANGES; change += 1) {
      const what = await this.#change();
      await this.#compare(`change ${change}: ${what}`);
      if (change % 20 === 19) await this.#showAll(change);
    }
    for (const { id, isDeleted } of this.#definitions) {
      if (!isDeleted) await directory.adminOk('DELETE', `${FIELDS}/${id}`);
      await this.#purge(id);
    }
    for (const { id } of this.#listings) await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
  }

  async #change(): Promise<string> {
    const random = this.#random;
    const kind = random.next();
    const definition = random.pick(this.#definitions);
    if (!definition || this.#definitions.length < keys.length || kind < 0.03) return await this.#create();
    if (kind < 0.3) return await this.#edit(definition);
    if (kind < 0.36) return await (definition.isDeleted ? this.#restore(definition) : this.#delete(definition));
    if (kind < 0.41 && definition.isDeleted) {
      await this.#purge(definition.id);
      this.#definitions = this.#definitions.filter((one) => one !== definition);
      return `purge ${definition.key}`;
    }
    return kind < 0.46 ? await this.#move() : await this.#write();
  }

  #attributes(type: FieldType): Attributes {
    const random = this.#random;
    const isNumber = type === 'number';
    return {
      ...(type.endsWith('select') && {
        options: [random.pick(options), ...options.filter(() => random.chance(0.2))]
          .filter((option, index, all) => all.indexOf(option) === index)
          .map((value) => ({ value, label: value })),
      }),
      min: isNumber && random.chance(0.3) ? random.below(20) : null,
      max: isNumber && random.chance(0.3) ? 20 + random.below(500) : null,
      categories: random.chance(0.6) ? [] : random.some(categories, 2),
      required: random.chance(0.2),
      access: random.pick(accesses),
      edit: random.pick(['owner', 'owner', 'owner', 'staff'] as const),
    };
  }

  async #create(): Promise<string> {
    const random = this.#random;
    const free = keys.filter((one) => this.#definitions.every(({ key: other }) => other !== one));
    // A type that no field has yet, so that there are always fields with options.
    const others = types.filter((one) => this.#definitions.every((definition) => definition.type !== one));
    const [key, type] = [random.pick(free.length > 0 ? free : keys), random.pick(others)];
    const given = this.#attributes(type);
    const response = await directory.asAdmin('POST', FIELDS, { key, type, label: key, filterable: true, ...given });
    if (this.#definitions.some((one) => one.key === key)) {
      expect(response).toMatchObject({ status: 409, body: { code: 'FIELD_EXISTS' } });
      return `create ${key} again`;
    }
    expect(response).toMatchObject({ status: 201 });
    const { id } = dataOf<{ id: string }>(response);
    const definition: Definition = { id, key, type, ...this.#known(given), isDeleted: false };
    this.#definitions.push(definition);
    return `create ${JSON.stringify(definition)}`;
  }

  /** The attributes of a definition as they are kept. */
  #known({ options: given = [], ...attributes }: Attributes) {
    return {
      ...attributes,
      edit: attributes.access === 'staff' ? ('staff' as const) : attributes.edit,
      options: given.map(({ value }) => value),
    };
  }

  async #edit(definition: Definition): Promise<string> {
    await this.#apply(definition, this.#attributes(definition.type));
    return `edit ${JSON.stringify(definition)}`;
  }

  async #apply(definition: Definition, given: Attributes): Promise<void> {
    await directory.adminOk('PUT', `${FIELDS}/${definition.id}`, given);
    Object.assign(definition, this.#known(given));
  }

  /** Takes back everything that hides a value. */
  async #showAll(change: number): Promise<void> {
    for (const definition of this.#definitions) {
      if (definition.isDeleted) await this.#restore(definition);
      const { edit, required } = definition;
      await this.#apply(definition, {
        ...{ min: null, max: null, categories: [], access: 'public', edit, required },
        ...(definition.options.length > 0 && { options: options.map((value) => ({ value, label: value })) }),
      });
    }
    await this.#compare(`all is shown after change ${change}`);
  }

  async #delete(definition: Definition): Promise<string> {
    await directory.adminOk('DELETE', `${FIELDS}/${definition.id}`);
    definition.isDeleted = true;
    return `delete ${definition.key}`;
  }

  async #restore(definition: Definition): Promise<string> {
    await directory.adminOk('PUT', `${FIELDS}/${definition.id}`, { deleted_at: null });
    definition.isDeleted = false;
    return `restore ${definition.key}`;
  }

  async #purge(id: string): Promise<void> {
    const deletedAt = new Date(Date.now() - 31 * 86_400_000).toISOString();
    await updateItem(fieldKey(id), { set: { deleted_at: deletedAt } });
    expect(await runJob(server, 'purge-deleted')).toMatchObject({ fields: 1 });
  }

  async #move(): Promise<string> {
    const listing = this.#random.pick(this.#listings);
    listing.categories = [this.#random.pick(categories)];
    await directory.adminOk('PUT', `/api/admin/projects/${listing.id}`, { categories: listing.categories });
    return `move to ${listing.categories.join()}`;
  }

  #value(definition: Definition | undefined): CustomValue {
    const random = this.#random;
    // Few wrong values, because one of them rejects all.
    const known = definition && definition.options.length > 0 && random.chance(0.8) ? definition.options : options;
    this.#serial += 1;
    switch (definition?.type) {
      case 'number':
        return this.#serial;
      case 'select':
        return random.pick(known);
      case 'multi_select':
        return [...new Set([random.pick(known), ...known.filter(() => random.chance(0.5))])];
      case 'boolean':
        return random.chance(0.5);
      case 'date':
        return new Date(this.#serial * 86_400_000).toISOString().slice(0, 10);
      default:
        return `text ${this.#serial}`;
    }
  }

  /** Writes or removes some values of a listing, as the owner or an administrator. */
  async #write(): Promise<string> {
    const random = this.#random;
    const listing = random.pick(this.#listings);
    const isOwner = random.chance(0.5);
    const given = [random.pick(keys), ...random.some(keys, 2)].map((key) => {
      const definition = this.#definitions.find((one) => one.key === key && !one.isDeleted);
      return [key, { definition, value: random.chance(0.1) ? null : this.#value(definition) }] as const;
    });
    const distinct = [...new Map(given)];
    const fields = Object.fromEntries(distinct.map(([key, { value }]) => [key, value]));
    const path = isOwner ? `/api/projects/${listing.id}` : `/api/admin/projects/${listing.id}`;
    const response = await directory.as(isOwner ? owner : directory.admin, 'PUT', path, { fields });
    const results = distinct.map(([, { definition, value }]) => this.#expectedOf(definition, listing, value, isOwner));
    const isWrong = results.includes('wrong');
    const what = `${isOwner ? 'owner' : 'admin'} writes ${JSON.stringify(fields)}`;
    expect([what, response.status]).toEqual([what, isWrong ? 400 : 200]);
    for (const [index, [, { definition, value }]] of distinct.entries()) {
      if (definition && results[index] === 'stored' && !isWrong) this.#store(listing, definition.id, value);
    }
    return what;
  }

  #store({ values, written }: Listing, id: string, value: CustomValue | null): void {
    if (value === null) {
      values.delete(id);
      return;
    }
    const kept = Array.isArray(value) ? options.filter((option) => value.includes(option)) : value;
    values.set(id, kept);
    written.set(id, (written.get(id) ?? new Set()).add(JSON.stringify(kept)));
  }

  #expectedOf(
    definition: Definition | undefined,
    listing: Listing,
    value: CustomValue | null,
    isOwner: boolean,
  ): 'stored' | 'untouched' | 'wrong' {
    if (!definition || !applies(definition, listing) || (isOwner && definition.edit === 'staff')) return 'untouched';
    const shown = shownOf(definition, listing);
    if (value === null) {
      if (shown === undefined) return 'untouched';
      return isOwner && definition.required ? 'wrong' : 'stored';
    }
    const same = (other: unknown): boolean =>
      JSON.stringify([value].flat().sort()) === JSON.stringify([other].flat().sort());
    if (shown !== undefined && same(shown)) return 'untouched';
    return isRight(definition, value) ? 'stored' : 'wrong';
  }

  #expectedFields(listing: Listing, rank: number): Record<string, CustomValue> {
    const shown: Record<string, CustomValue> = {};
    for (const definition of this.#definitions) {
      const value = mayRead(rank, definition) ? shownOf(definition, listing) : undefined;
      if (value !== undefined) shown[definition.key] = value;
    }
    return shown;
  }

  #expectedMissing(listing: Listing, rank: number): string[] {
    return this.#definitions
      .filter((one) => one.required && !one.isDeleted && mayRead(rank, one) && applies(one, listing))
      .filter((one) => shownOf(one, listing) === undefined)
      .map(({ key }) => key);
  }

  async #compare(where: string): Promise<void> {
    for (const listing of this.#listings) {
      for (const [name, rank, who] of readers) {
        const { fields, fields_missing: missing } = await directory.read(listing.id, who);
        const expected = this.#expectedFields(listing, rank);
        expect([where, name, fields]).toEqual([where, name, expected]);
        const isTold = rank > 0 ? this.#expectedMissing(listing, rank).sort() : undefined;
        expect([where, name, missing?.toSorted()]).toEqual([where, name, isTold]);
      }
    }
    await this.#compareLists(where);
    await this.#compareRevisions(where);
  }

  async #compareLists(where: string): Promise<void> {
    const key = this.#random.pick(keys);
    const definition = this.#definitions.find((one) => one.key === key && !one.isDeleted);
    const ids = this.#listings.map(({ id }) => id);
    for (const [name, rank, who] of readers) {
      const all = dataOf<{ id: string; fields: object }[]>(await directory.get('/api/projects?limit=100', who));
      for (const listing of this.#listings) {
        const fields = all.find(({ id }) => id === listing.id)?.fields;
        expect([where, name, fields]).toEqual([where, name, this.#expectedFields(listing, rank)]);
      }
      const filtered = await directory.get(`/api/projects?limit=100&filter[${key}]=*`, who);
      // A list has listings of all owners: an owner filters by what everyone reads.
      const isAllowed = definition !== undefined && mayRead(rank === 1 ? 0 : rank, definition);
      expect([where, name, key, filtered.status]).toEqual([where, name, key, isAllowed ? 200 : 400]);
      if (!isAllowed) continue;
      const found = dataOf<{ id: string }[]>(filtered).map(({ id }) => id);
      const expected = this.#listings.filter((listing) => shownOf(definition, listing) !== undefined);
      expect([where, name, key, ids.filter((id) => found.includes(id))]).toEqual([
        where,
        name,
        key,
        expected.map(({ id }) => id),
      ]);
    }
  }

  /** No revision has a field that its reader may not see, or a value of another field than the one with the key. */
  async #compareRevisions(where: string): Promise<void> {
    const listing = this.#random.pick(this.#listings);
    for (const [name, rank, who] of readers.filter(([, one]) => one > 0)) {
      const path = `/api/projects/${listing.id}/revisions?limit=100`;
      const revisions = dataOf<{ changes: { field: string; before: unknown; after: unknown }[] }[]>(
        await directory.ok(who, 'GET', path),
      );
      for (const { field, before, after } of revisions.flatMap(({ changes }) => changes)) {
        if (!field.startsWith('fields.')) continue;
        const definition = this.#definitions.find((one) => `fields.${one.key}` === field && !one.isDeleted);
        expect([where, name, field, definition && mayRead(rank, definition)]).toEqual([where, name, field, true]);
        const written = [...(listing.written.get(definition?.id ?? '') ?? [])].map(
          (text) => JSON.parse(text) as unknown,
        );
        for (const value of [before, after]) {
          const isOwn = (one: unknown): boolean =>
            Array.isArray(value)
              ? value.every((option) => (one as unknown[]).includes(option))
              : JSON.stringify(one) === JSON.stringify(value);
          expect([where, name, field, value, value === null || written.some(isOwn)]).toEqual([
            where,
            name,
            field,
            value,
            true,
          ]);
        }
      }
    }
  }
}

it.each(seeds(2))(
  'no sequence of changes loses a value that comes back, shows a value of another field, or more than its access allows (seed %i)',
  { timeout: 600_000 },
  async (seed) => await new Simulation(seed).run(),
);
