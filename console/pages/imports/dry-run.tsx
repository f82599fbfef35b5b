import type { Import } from '#contract/imports.ts';
import { counted, formatNumber } from '../../format.ts';
import { text } from './strings.ts';

export const Counts = ({
  counts,
  isPlan = false,
}: {
  readonly counts: Import['counts'];
  readonly isPlan?: boolean;
}) => (
  <dl className="facts">
    {(['created', 'updated', 'skipped', 'failed'] as const).map((outcome) => (
      <div key={outcome} className="contents">
        <dt>{(isPlan ? text.planned : text.outcomes)[outcome]}</dt>
        <dd className="number">{formatNumber(counts[outcome])}</dd>
      </div>
    ))}
  </dl>
);

/** The columns that set nothing, whatever their cells hold. */
export const Ignored = ({ columns }: { readonly columns: readonly string[] }) =>
  columns.length > 0 && <p className="message wait">{text.ignored(columns.join(', '))}</p>;

/** What an import would do: its numbers, the reasons of failures by frequency, and the first rows. */
export const DryRun = ({
  dryRun: { counts, problems, items },
  ignored,
}: {
  readonly dryRun: NonNullable<Import['dry_run']>;
  readonly ignored: readonly string[];
}) => (
  <section className="card stack tight">
    <h2>{text.dryRun}</h2>
    <Counts counts={counts} isPlan />
    <Ignored columns={ignored} />
    {problems.length > 0 && (
      <>
        <h3>{text.problems}</h3>
        <ul className="stack tight">
          {problems.map(({ message, rows }) => (
            <li key={message}>
              <span className="number">{counted(rows, 'row')}</span>: <bdi>{message}</bdi>
            </li>
          ))}
        </ul>
      </>
    )}
    <h3>{text.firstPlanned}</h3>
    <ul className="stack tight dry-run">
      {items.map(({ row, outcome, project, message }) => (
        <li key={row}>
          <span className="soft">{text.row(row ?? 0)}</span> {text.planned[outcome]}
          {project && <bdi>: {project.name}</bdi>}
          {message !== null && <span className="soft"> · {message}</span>}
        </li>
      ))}
    </ul>
  </section>
);
