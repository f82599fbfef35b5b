import type { ImportMapping, ImportReport } from '#contract/projects.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { openFile } from '#shared/csv/file.ts';
import { readMapping } from '#shared/csv/mapping.ts';
import type { CsvRecord } from '#shared/csv/parse.ts';
import { type FieldErrors, invalidFields } from '#shared/errors.ts';
import { CategoryBook } from './import-categories.ts';
import { type JudgeContext, judge, type Verdict } from './import-judge.ts';
import type { ImportPorts, ImportStep } from './import-ports.ts';
import { type Row, rowReader } from './import-row.ts';
import { SlugBook } from './import-slugs.ts';
import { Tally } from './import-tally.ts';
import { ImportView } from './import-view.ts';
import { slugFrom } from './slug.ts';

/** The parts of an upload, as they came. */
export interface ImportUpload {
  readonly file: string | Uint8Array | undefined;
  readonly mapping: string | Uint8Array | undefined;
}

// As many rows as are looked at before the table is asked and written.
const ROWS_AT_ONCE = 1000;

// Each loss means that somebody else has changed the very same project meanwhile.
const TRIES = 5;

/** A project that is to be written, and the rows that made it what it is. */
interface Pending {
  step: ImportStep;
  readonly rows: { readonly row: Row; readonly kind: 'create' | 'update' }[];
}

class ImportRun {
  readonly #ports: ImportPorts;
  readonly #context: JudgeContext;
  readonly #tally: Tally;
  #pending = new Map<string, Pending>();

  constructor(ports: ImportPorts, context: JudgeContext, tally: Tally) {
    this.#ports = ports;
    this.#context = context;
    this.#tally = tally;
  }

  async take(rows: readonly Row[]): Promise<void> {
    const { slugs } = this.#context;
    await slugs.learn(rows.flatMap(({ values }) => values.slug ?? []));
    await slugs.learnFor(
      rows.flatMap(({ values: { slug, name } }) => (slug === undefined && name ? slugFrom(name, '') || [] : [])),
    );
    for (const row of rows) this.#accept(row, await judge(this.#context, row));
    await this.#write();
  }

  /** Carries over what became of categories while the import was at work. */
  async finish(): Promise<void> {
    if (this.#context.mapping.dry_run) return;
    const moved = this.#context.categories.moved(await this.#ports.allCategories());
    for (const { from, to } of moved) await this.#ports.carryOver(from, to);
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

  /** Writes what is expected; what somebody else got in the way of is judged anew, row by row. */
  async #write(): Promise<void> {
    const lost = await this.#writeExpected();
    for (const { rows } of lost) for (const { row } of rows) await this.#takeAlone(row);
  }

  /** @returns what could not be written. */
  async #writeExpected(): Promise<(Pending & { error: Error })[]> {
    const expected = [...this.#pending.values()];
    this.#pending = new Map();
    const outcomes = this.#context.mapping.dry_run ? [] : await this.#store(expected);
    const lost: (Pending & { error: Error })[] = [];
    for (const [position, pending] of expected.entries()) {
      const error = outcomes[position];
      if (error) {
        this.#context.view.forget(pending.step.next.id);
        this.#context.slugs.forget(pending.step.next.slug);
        lost.push({ ...pending, error });
      } else {
        for (const { kind } of pending.rows) this.#tally[kind === 'create' ? 'created' : 'updated']();
      }
    }
    return lost;
  }

  async #store(expected: readonly Pending[]): Promise<readonly (Error | undefined)[]> {
    if (expected.length === 0) return [];
    await this.#context.categories.create(expected.flatMap(({ step }) => step.next.categories));
    // Only an id that the file names can have been somebody's before.
    const named = expected.flatMap(({ step, rows }) =>
      !step.previous && rows[0]?.row.values.id !== undefined ? [step.next.id] : [],
    );
    if (named.length > 0) await this.#ports.clearRemains(named);
    return await this.#ports.writeProjects(expected.map(({ step }) => step));
  }

  async #takeAlone(row: Row): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#lookAgain(row);
      this.#accept(row, await judge(this.#context, row));
      const [lost] = await this.#writeExpected();
      if (!lost) return;
      if (attempt === TRIES) {
        this.#tally.failed(row.number, [{ field: null, message: `It was in conflict with another change: ${lost.error.message}` }]);
        return;
      }
    }
  }

  async #lookAgain({ values: { id, slug, url } }: Row): Promise<void> {
    const { view, slugs, mapping } = this.#context;
    if (slug !== undefined) slugs.forget(slug);
    const holder = slug === undefined ? undefined : await slugs.holder(slug);
    await view.renew([id, holder].filter((one) => one !== undefined));
    if (mapping.match_by === 'url' && url !== undefined) await view.renew(view.sameUrl(url).map((one) => one.id));
  }
}

const asText = (part: string | Uint8Array): string => (typeof part === 'string' ? part : new TextDecoder().decode(part));
const asBytes = (part: string | Uint8Array): Uint8Array =>
  typeof part === 'string' ? new TextEncoder().encode(part) : part;

/** @throws 400 naming every part that is missing. */
const complete = ({ file, mapping }: ImportUpload): { file: Uint8Array; mapping: string } => {
  if (file !== undefined && mapping !== undefined) return { file: asBytes(file), mapping: asText(mapping) };
  const missing = { _errors: ['is required'] };
  throw invalidFields({
    _errors: [],
    ...(file === undefined && { file: missing }),
    ...(mapping === undefined && { mapping: missing }),
  } as FieldErrors);
};

/** What the slug column says, before anything is checked: these slugs are not given to rows that name none. */
const namedSlugs = (records: readonly CsvRecord[], index: number | undefined): ReadonlySet<string> =>
  new Set(index === undefined ? [] : records.map(({ cells }) => (cells[index] ?? '').trim()));

const open = async (
  ports: ImportPorts,
  admin: UserRecord,
  mapping: ImportMapping,
  named: ReadonlySet<string>,
): Promise<JudgeContext> => {
  const [catalog, categories] = await Promise.all([ports.catalog('now'), ports.allCategories()]);
  const tracksUrls = mapping.match_by === 'url' || ports.refusesDuplicateUrls();
  return {
    ports,
    mapping,
    admin,
    view: new ImportView(ports, catalog, tracksUrls),
    slugs: new SlugBook(ports.slugHolders, named),
    categories: new CategoryBook(ports, categories, mapping.create_categories),
  };
};

/**
 * Imports projects from a CSV file. Each row stands by itself: what is wrong with one is reported and stops no other.
 *
 * A row whose `match_by` field is that of a project, of the directory or of an earlier row, is skipped, updates that
 * project or is an error, as `on_conflict` says; a row without that field matches nothing. An update changes only the
 * fields that the row or a default mentions. A new project keeps id, slug, owner and times that the file gives, so that an
 * export brings the same records back into an empty directory. Counters are not taken over: votes, ratings and comments
 * are not in the file, and a counter that counts nothing would only be put right again by the next recount.
 *
 * Nobody is told: no event, no mail. When the process dies, what is written stands complete, and the same file with
 * `on_conflict: skip` does the rest, provided that its rows can be matched.
 * @throws 400 under `details.file` or `details.mapping` when nothing of it can be imported, 413 for too many records.
 */
export const importProjects = async (
  ports: ImportPorts,
  admin: UserRecord,
  upload: ImportUpload,
): Promise<ImportReport> => {
  const until = performance.now() + ports.budgetMs;
  const { file, mapping: mappingText } = complete(upload);
  const { mapping, columns, width, records } = openFile(file, readMapping(mappingText));
  const readRow = rowReader(mapping, columns, width);
  const slugIndex = columns.find(({ field }) => field === 'slug')?.index;
  const tally = new Tally(new Map(columns.map(({ column, field }) => [field, column])));
  const context = await open(ports, admin, mapping, namedSlugs(records, slugIndex));
  const run = new ImportRun(ports, context, tally);
  for (let start = 0; start < records.length; start += ROWS_AT_ONCE) {
    if (performance.now() > until) {
      tally.leftOut((records[start] as CsvRecord).number, records.length - start);
      break;
    }
    await run.take(records.slice(start, start + ROWS_AT_ONCE).map(readRow));
  }
  await run.finish();
  return { batch_id: ports.newId('bat'), dry_run: mapping.dry_run, rows: records.length, ...tally.result() };
};
