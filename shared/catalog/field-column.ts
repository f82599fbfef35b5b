import type { Hours } from '#contract/custom-fields.ts';
import { type CurrentField, hasOptions, shownValueOf } from '#model/field.ts';
import { dayNumber, type FieldCondition } from '#model/field-filter.ts';
import { isOpenAt, type LocalTime, localTime } from '#model/opening-hours.ts';
import type { Bitmap } from './bitmap.ts';
import { fold } from './folded-text.ts';
import { byValue, type FieldPosition, Order } from './order.ts';
import { packedFieldValues } from './packed-texts.ts';
import { IdSet, Postings } from './postings.ts';
import { type ListingIndex, Progress, type Row, type Rows } from './rows.ts';
import type { FacetCount } from './types.ts';

/** The number of listings per step: a few milliseconds of work. */
const STEP = 1024;

/** What of a definition decides which values are shown. Labels, access and order do not. */
const shapeOf = ({ type, options, within }: CurrentField): string =>
  JSON.stringify([type, options.map(({ value }) => value), within && [...within].sort()]);

/** The shown values of a field of all listings. Built in steps on its first use, and updated with each change of a listing. */
export class FieldColumn implements ListingIndex {
  readonly #rows: Rows;
  readonly #field: CurrentField;
  readonly #shape: string;
  readonly #progress: Progress;
  readonly #present = new IdSet();
  /** Options, booleans and folded texts. */
  readonly #choices = new Postings();
  /** By slot, numbers, dates and booleans; 0 for no value. */
  #numbers = new Float64Array();
  readonly #hours = new Map<number, Hours>();
  #order: Order<FieldPosition> | undefined;

  constructor(rows: Rows, field: CurrentField) {
    this.#rows = rows;
    this.#field = field;
    this.#shape = shapeOf(field);
    this.#progress = new Progress(rows, STEP);
  }

  get fieldId(): string {
    return this.#field.id;
  }

  /** Whether these are the values by this definition. */
  holds(field: CurrentField): boolean {
    return field === this.#field || shapeOf(field) === this.#shape;
  }

  /** Runs one step of reading the values. @returns whether all are read. */
  prepare(): boolean {
    return this.#progress.advance(1, (slot, row) => this.#add(slot, row));
  }

  /** All listings by value. */
  order(): Order<FieldPosition> {
    this.#complete();
    this.#order ??= new Order(this.#rows, byValue, (slot) => ({
      value: this.#numbers[slot] ?? 0,
      id: this.#rows.at(slot).id,
    }));
    return this.#order;
  }

  /** Adds the listings with a value to a bitmap and returns it. */
  addPresent(slots: Bitmap): Bitmap {
    this.#complete();
    this.#present.addTo(slots);
    return slots;
  }

  /** Adds the listings that match a condition to an empty bitmap and returns it. */
  addMatching(condition: FieldCondition, slots: Bitmap): Bitmap {
    this.#complete();
    switch (condition.kind) {
      case 'present':
        return this.addPresent(slots);
      case 'any': {
        const isText = this.#field.type === 'text';
        return this.#choices.addAnyOf(isText ? condition.values.map(fold) : condition.values, slots);
      }
      case 'all':
        this.#addWithAll(condition.values, slots);
        return slots;
      case 'range': {
        const numbers = this.#numbers;
        const { from, to } = condition;
        this.#present.forEach((slot) => {
          const value = numbers[slot] ?? 0;
          if (from <= value && value <= to) slots.add(slot);
        });
        return slots;
      }
      case 'open':
        this.#addOpen(condition.at, slots);
        return slots;
    }
  }

  /** The number of listings in a set by option or boolean, sorted by value; those without any are omitted. */
  countsIn(slots: Bitmap): FacetCount[] {
    this.#complete();
    return this.#choices.countsIn(slots);
  }

  /** The smallest and the greatest number, date or boolean of listings in a set; undefined when none has one. */
  rangeIn(slots: Bitmap): { readonly min: number; readonly max: number } | undefined {
    this.#complete();
    if (this.#numbers.length === 0) return undefined;
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    this.#present.forEach((slot) => {
      if (!slots.has(slot)) return;
      const value = this.#numbers[slot] ?? 0;
      if (value < min) min = value;
      if (value > max) max = value;
    });
    return min > max ? undefined : { min, max };
  }

  isAffected(before: Row, after: Row): boolean {
    return before.version !== after.version;
  }

  insert(slot: number, row: Row): void {
    // A later step reads it.
    if (!this.#progress.includes(slot)) return;
    this.#add(slot, row);
    this.#order?.insert(slot);
  }

  remove(slot: number, row: Row): void {
    if (!this.#progress.includes(slot)) return;
    this.#order?.remove(slot);
    const value = this.#valueOf(row);
    if (value === undefined) return;
    this.#present.delete(slot);
    if (slot < this.#numbers.length) this.#numbers[slot] = 0;
    this.#hours.delete(slot);
    for (const choice of this.#choicesIn(value)) this.#choices.delete(choice, slot);
  }

  #complete(): void {
    while (!this.prepare());
  }

  #valueOf(row: Row) {
    return shownValueOf(this.#field, { field_values: packedFieldValues(row.texts), categories: row.categories });
  }

  #choicesIn(value: unknown): readonly string[] {
    const { type } = this.#field;
    if (type === 'text') return [fold(value as string)];
    return hasOptions(type) || type === 'boolean' ? [value].flat().map(String) : [];
  }

  #add(slot: number, row: Row): void {
    const value = this.#valueOf(row);
    if (value === undefined) return;
    this.#present.add(slot);
    for (const choice of this.#choicesIn(value)) this.#choices.add(choice, slot);
    const { type } = this.#field;
    if (type === 'number' || type === 'boolean') this.#setNumber(slot, Number(value));
    else if (type === 'date') this.#setNumber(slot, dayNumber(value as string));
    else if (type === 'hours') this.#hours.set(slot, value as Hours);
  }

  #setNumber(slot: number, value: number): void {
    if (slot >= this.#numbers.length) {
      const grown = new Float64Array(Math.max(this.#rows.capacity, slot + 1, this.#numbers.length * 2));
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#numbers[slot] = value;
  }

  #addWithAll(values: readonly string[], slots: Bitmap): void {
    const [first, ...others] = values.map((value) => this.#choices.get(value));
    first?.forEach((slot) => {
      if (others.every((set) => set?.has(slot) === true)) slots.add(slot);
    });
  }

  #addOpen(at: number, slots: Bitmap): void {
    const times = new Map<string, LocalTime>();
    for (const [slot, hours] of this.#hours) {
      const time = times.get(hours.zone) ?? localTime(hours.zone, at);
      times.set(hours.zone, time);
      if (isOpenAt(hours, time)) slots.add(slot);
    }
  }
}
