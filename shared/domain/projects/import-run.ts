import { type JudgeContext, judge, type Verdict } from './import-judge.ts';
import type { ImportPorts, ImportStep } from './import-ports.ts';
import type { Row } from './import-row.ts';
import type { Tally } from './import-tally.ts';
import { slugFrom } from './slug-from-name.ts';

// Each round somebody gets what he wants, so that the rows in each other's way become fewer and fewer.
const ROUNDS = 20;

/** A project that is to be written, and the rows that made it what it is. */
interface Pending {
  step: ImportStep;
  readonly rows: { readonly row: Row; readonly kind: 'create' | 'update' }[];
}

type Lost = Pending & { readonly error: Error };

/** An import at work: takes rows, some at a time, and writes what becomes of them. */
export class ImportRun {
  readonly #ports: ImportPorts;
  readonly #context: JudgeContext;
  readonly #tally: Tally;
  #pending = new Map<string, Pending>();

  constructor(ports: ImportPorts, context: JudgeContext, tally: Tally) {
    this.#ports = ports;
    this.#context = context;
    this.#tally = tally;
  }

  /** Decides on some rows in their order and writes them together. Those that somebody else got in the way of are judged anew. */
  async take(rows: readonly Row[]): Promise<void> {
    let left = rows;
    for (let round = 1; left.length > 0; round += 1) {
      await this.#judge(left);
      const lost = await this.#write();
      left = lost.flatMap((pending) => pending.rows.map(({ row }) => row)).sort((a, b) => a.number - b.number);
      await this.#lookAgain(lost);
      if (round === ROUNDS) {
        this.#giveUp(lost);
        return;
      }
    }
  }

  /** Carries over what became of categories while the import was at work. */
  async finish(): Promise<void> {
    if (this.#context.mapping.dry_run) return;
    const moved = this.#context.categories.moved(await this.#ports.allCategories());
    for (const change of moved) await this.#ports.carryOver(change);
  }

  async #judge(rows: readonly Row[]): Promise<void> {
    const { slugs } = this.#context;
    await slugs.learn(rows.flatMap(({ values }) => values.slug ?? []));
    await slugs.learnFor(
      rows.flatMap(({ values: { slug, name } }) => (slug === undefined && name ? slugFrom(name, '') || [] : [])),
    );
    for (const row of rows) this.#accept(row, await judge(this.#context, row));
  }

  #accept(row: Row, verdict: Verdict): void {
    if (verdict.kind === 'fail') this.#tally.failed(row.number, verdict.problems);
    else if (verdict.kind === 'skip') this.#tally.skipped();
    else if (verdict.kind === 'update' && verdict.next === verdict.previous) this.#tally.updated();
    else this.#expect(row, verdict);
  }

  /** Notes a change that is to be written; several rows about one project become one write. */
  #expect(row: Row, { kind, ...verdict }: Extract<Verdict, { kind: 'create' | 'update' }>): void {
    const { view, slugs } = this.#context;
    const previous = 'previous' in verdict ? verdict.previous : undefined;
    const pending = this.#pending.get(verdict.next.id);
    const version = pending?.step.next.version ?? (previous ? previous.version + 1 : verdict.next.version);
    const next = { ...verdict.next, version };
    view.keep(next);
    slugs.take(next.slug, next.id);
    if (pending) {
      pending.step = { previous: pending.step.previous, next };
      pending.rows.push({ row, kind });
    } else {
      this.#pending.set(next.id, { step: { previous, next }, rows: [{ row, kind }] });
    }
  }

  /** @returns what could not be written. */
  async #write(): Promise<Lost[]> {
    const expected = [...this.#pending.values()];
    this.#pending = new Map();
    const outcomes = this.#context.mapping.dry_run ? [] : await this.#store(expected);
    const lost: Lost[] = [];
    for (const [position, pending] of expected.entries()) {
      const error = outcomes[position];
      if (error) lost.push({ ...pending, error });
      else for (const { kind } of pending.rows) this.#tally[kind === 'create' ? 'created' : 'updated']();
    }
    return lost;
  }

  async #store(expected: readonly Pending[]): Promise<readonly (Error | undefined)[]> {
    if (expected.length === 0) return [];
    await this.#context.categories.create(expected.flatMap(({ step }) => step.next.categories));
    // Only an id that the file names can have been another project's before.
    const named = expected.filter(({ step, rows }) => !step.previous && rows[0]?.row.values.id !== undefined);
    if (named.length > 0) await this.#ports.clearRemains(named.map(({ step }) => step.next.id));
    return await this.#ports.writeProjects(expected.map(({ step }) => step));
  }

  /** Forgets what was wrongly believed of projects and slugs, and asks the table itself. */
  async #lookAgain(lost: readonly Lost[]): Promise<void> {
    if (lost.length === 0) return;
    const { view, slugs } = this.#context;
    for (const { step, rows } of lost) {
      view.forget(step.next.id);
      for (const slug of [step.next.slug, ...rows.map(({ row }) => row.values.slug)]) if (slug) slugs.forget(slug);
    }
    // An id that was just made up is nobody's.
    const known = lost.filter(({ step, rows }) => step.previous || rows[0]?.row.values.id !== undefined);
    await view.renew(known.map(({ step }) => step.next.id));
  }

  #giveUp(lost: readonly Lost[]): void {
    for (const { error, rows } of lost) {
      const message = `The row was in conflict with other changes again and again: ${error.message}`;
      for (const { row } of rows) this.#tally.failed(row.number, [{ field: null, message }]);
    }
  }
}
