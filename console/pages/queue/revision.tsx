import type { Project } from '#contract/projects.ts';
import type { QueuedRevision } from '#contract/revisions.ts';
import { useNameOfField } from '../../app/custom-fields.ts';
import { readListing } from '../../app/listings.ts';
import { refresh } from '../../app/queries.ts';
import { Badge } from '../../components/badge.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { FieldDifference } from '../../components/field-difference.tsx';
import { FieldValue } from '../../components/field-value.tsx';
import { Checkbox } from '../../components/fields.tsx';
import { text } from './strings.ts';

type Change = QueuedRevision['changes'][number];

const publishedValue = (project: Project, field: string): unknown =>
  field.startsWith('fields.')
    ? project.fields?.[field.slice('fields.'.length)]
    : (project as Readonly<Record<string, unknown>>)[field];

/** The values of a field: the one that the owner edited, the one that is published, and the proposed one. */
const Values = ({ change, project }: { readonly change: Change; readonly project: Project }) => (
  <dl className="facts">
    <dt>{text.original}</dt>
    <dd>
      <FieldValue value={change.before} />
    </dd>
    <dt>{text.published}</dt>
    <dd>
      <FieldValue value={publishedValue(project, change.field)} />
    </dd>
    <dt>{text.proposed}</dt>
    <dd>
      <FieldValue value={change.after} />
    </dd>
  </dl>
);

/** Asks before published changes of others are replaced. @param fields are all that are approved. */
export const ReplaceConfirm = ({
  revision,
  project,
  fields,
  onReplace,
  onClose,
}: {
  readonly revision: QueuedRevision;
  readonly project: Project;
  readonly fields: ReadonlySet<string>;
  readonly onReplace: () => void;
  readonly onClose: () => void;
}) => {
  const nameOf = useNameOfField();
  return (
    <Confirm
      title={text.replaceTitle}
      action={text.replace}
      onClose={onClose}
      onConfirm={async () => {
        const { project: now } = await readListing(project.id);
        const isSame = (field: string) =>
          JSON.stringify(publishedValue(now, field)) === JSON.stringify(publishedValue(project, field));
        if (![...fields].every(isSame)) {
          await refresh('projects', 'revisions');
          throw new Error(text.changedAgain);
        }
        onReplace();
      }}
    >
      <p>{text.replaceText}</p>
      {revision.changes
        .filter(({ field }) => fields.has(field) && revision.outdated.includes(field))
        .map((change) => (
          <section key={change.field} className="card stack tight">
            <h3>{nameOf(change.field)}</h3>
            <Values change={change} project={project} />
          </section>
        ))}
    </Confirm>
  );
};

/** An edit of a live listing, field by field; only the checked fields are published. */
export const RevisionView = ({
  revision,
  project,
  chosen,
  onChoose,
}: {
  readonly revision: QueuedRevision;
  /** As it is published. */
  readonly project: Project;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (field: string, isChosen: boolean) => void;
}) => {
  const nameOf = useNameOfField();
  return (
    <div className="stack">
      {revision.outdated.some((field) => chosen.has(field)) && <p className="message wait">{text.force}</p>}
      {revision.changes.map((change) => {
        const { field, before, after } = change;
        const isOutdated = revision.outdated.includes(field);
        return (
          <section key={field} className="card stack tight">
            <div className="row">
              <Checkbox
                label={<span className="label">{nameOf(field)}</span>}
                isChecked={chosen.has(field)}
                onChange={(isChosen) => onChoose(field, isChosen)}
              />
              {isOutdated && <Badge tone="wait">{text.outdated}</Badge>}
            </div>
            {!isOutdated && typeof after === 'string' && typeof before === 'string' ? (
              <FieldDifference before={before} after={after} />
            ) : (
              <Values change={change} project={project} />
            )}
          </section>
        );
      })}
    </div>
  );
};
