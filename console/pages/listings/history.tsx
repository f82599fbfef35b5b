import type { Revision } from '#contract/revisions.ts';
import { bodyOf, client, dataOf } from '../../api.ts';
import { useNameOfField } from '../../app/custom-fields.ts';
import { refresh, useCursorPages } from '../../app/queries.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CursorList } from '../../components/cursor-list.tsx';
import { FieldDifference } from '../../components/field-difference.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { revisions as text } from './strings.ts';

const PAGE = 20;
const tones = {
  applied: 'neutral',
  pending: 'wait',
  approved: 'good',
  rejected: 'bad',
  withdrawn: 'neutral',
  dropped: 'neutral',
} as const;

/** What only an administrator's own request sets back. */
const RESERVED: ReadonlySet<string> = new Set(['status', 'plan', 'owner_id', 'deleted_at']);

const isRestorable = ({ cause, applied }: Revision): boolean =>
  cause !== 'submitted' && applied.some((field) => !RESERVED.has(field));

const Entry = ({ project, revision }: { readonly project: string; readonly revision: Revision }) => {
  const nameOf = useNameOfField();
  const restore = async () => {
    await dataOf(client.revisions.restore({ params: { project, revision: revision.id } }));
    notify(text.restored, async () => {
      const [latest] = await dataOf(client.revisions.list({ params: { project }, query: { limit: 1 } }));
      if (latest) await dataOf(client.revisions.restore({ params: { project, revision: latest.id } }));
      await refresh('projects', 'revisions');
    });
    await refresh('projects', 'revisions');
  };
  return (
    <li className="card stack tight">
      <div className="row">
        <h3>{text.causes[revision.cause]}</h3>
        {revision.state !== 'applied' && <Badge tone={tones[revision.state]}>{text.states[revision.state]}</Badge>}
        <span className="soft small">
          {revision.actor?.name ?? revision.actor?.id ?? text.service} · <Time at={revision.at} />
        </span>
        {isRestorable(revision) && (
          <span className="push">
            <Button onClick={() => void perform(restore)}>{text.restore}</Button>
          </span>
        )}
      </div>
      {revision.note && <p className="message">{revision.note}</p>}
      {revision.cause === 'submitted' ? (
        <p className="soft">{revision.changes.map(({ field }) => nameOf(field)).join(', ')}</p>
      ) : (
        <dl className="facts">
          {revision.changes.map(({ field, before, after }) => (
            <div key={field} className="contents">
              <dt>{nameOf(field)}</dt>
              <dd>
                <FieldDifference before={before} after={after} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
};

/** Every recorded change of a listing, newest first. */
export const History = ({ project }: { readonly project: string }) => {
  const revisions = useCursorPages(['revisions', project], (after, signal) =>
    bodyOf(client.revisions.list({ params: { project }, query: { limit: PAGE, ...(after && { after }) }, signal })),
  );
  return (
    <CursorList pages={revisions} empty={<EmptyState title={text.none} />}>
      {(rows) => (
        <ul className="stack tight">
          {rows.map((revision) => (
            <Entry key={revision.id} project={project} revision={revision} />
          ))}
        </ul>
      )}
    </CursorList>
  );
};
