import { Link } from 'wouter';
import type { Project } from '#contract/projects.ts';
import { useCategories, useListing } from '../../app/listings.ts';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { FieldValue } from '../../components/field-value.tsx';
import { Loaded } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

const COMPARED = ['name', 'url', 'description', 'long_description', 'categories', 'tags'] as const;

/** A submission beside a listing that it may repeat. */
export const Comparison = ({
  project,
  otherId,
  isWhole,
  onReject,
}: {
  readonly project: Project;
  readonly otherId: string;
  /** Whether the long descriptions are compared, too. */
  readonly isWhole: boolean;
  /** Begins a rejection that names the other listing; undefined while nothing can be decided. */
  readonly onReject: ((other: Project) => void) | undefined;
}) => {
  const { nameOf } = useCategories();
  const shownValue = (one: Project, field: (typeof COMPARED)[number]) =>
    field === 'categories' ? one.categories.map(nameOf) : one[field];
  const isSame = (other: Project, field: (typeof COMPARED)[number]) =>
    JSON.stringify(project[field]) === JSON.stringify(other[field]);
  return (
    <Loaded query={useListing(otherId)}>
      {({ project: other }) => (
        <section className="card stack tight" aria-label={text.beside(other.name)}>
          <div className="row apart">
            <h3 className="shrink" dir="auto">
              {text.beside(other.name)}
            </h3>
            {onReject && (
              <Button kind="danger" onClick={() => onReject(other)}>
                {text.rejectDuplicate}
              </Button>
            )}
          </div>
          <div className="comparison">
            <strong>{text.this}</strong>
            <span className="row">
              <Link href={`/listings?open=${other.id}`}>{text.other}</Link> <StatusBadge listing={other} />
            </span>
            {COMPARED.filter((field) => isWhole || field !== 'long_description')
              .filter((field) => (project[field]?.length ?? 0) + (other[field]?.length ?? 0) > 0)
              .map((field) => (
                <div key={field} className="contents">
                  <span className="comparison-field soft small">
                    {words(field)} {isSame(other, field) && <Badge tone="wait">{text.same}</Badge>}
                  </span>
                  <FieldValue value={shownValue(project, field)} />
                  <FieldValue value={shownValue(other, field)} />
                </div>
              ))}
            <span className="comparison-field soft small">{strings.listing.submitted}</span>
            <Time at={project.created_at} />
            <Time at={other.created_at} />
          </div>
        </section>
      )}
    </Loaded>
  );
};
