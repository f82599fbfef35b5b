import type { QueuedRevision } from '#contract/revisions.ts';
import { Badge } from '../../components/badge.tsx';
import { FieldDifference } from '../../components/field-difference.tsx';
import { FieldValue } from '../../components/field-value.tsx';
import { Checkbox } from '../../components/fields.tsx';
import { words } from '../../format.ts';
import * as strings from '../../strings.ts';

/** An edit of a live listing, field by field; only the checked fields are published. */
export const RevisionView = ({
  revision,
  chosen,
  onChoose,
}: {
  readonly revision: QueuedRevision;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (field: string, isChosen: boolean) => void;
}) => (
  <div className="stack">
    {revision.outdated.some((field) => chosen.has(field)) && <p className="message wait">{strings.queue.force}</p>}
    {revision.changes.map(({ field, before, after }) => (
      <section key={field} className="card stack tight">
        <div className="row">
          <Checkbox
            label={<span className="label">{words(field)}</span>}
            isChecked={chosen.has(field)}
            onChange={(isChosen) => onChoose(field, isChosen)}
          />
          {revision.outdated.includes(field) && <Badge tone="wait">{strings.queue.outdated}</Badge>}
        </div>
        {typeof after === 'string' && typeof before === 'string' ? (
          <FieldDifference before={before} after={after} />
        ) : (
          <dl className="facts">
            <dt>{strings.queue.published}</dt>
            <dd>
              <FieldValue value={before} />
            </dd>
            <dt>{strings.queue.proposed}</dt>
            <dd>
              <FieldValue value={after} />
            </dd>
          </dl>
        )}
      </section>
    ))}
  </div>
);
