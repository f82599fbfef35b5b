import { useState } from 'react';
import { bodyOf, client, dataOf } from '../../api.ts';
import { refresh, useResource } from '../../app/queries.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import * as strings from '../../strings.ts';
import { text } from '../comments/strings.ts';

const LIMIT = 40;

const setHidden = async (comment: string, is_hidden: boolean) => {
  await dataOf(client.comments.hide({ params: { comment }, body: { is_hidden } }));
  await refresh('comments', 'projects');
};

/** The comments on a listing, hidden ones too, newest first. */
export const Comments = ({ project }: { readonly project: string }) => {
  const [after, setAfter] = useState<readonly string[]>([]);
  const query = { project, limit: LIMIT, ...(after.length > 0 && { after: after.at(-1) ?? '' }) };
  const comments = useResource(['comments', query], (signal) => bodyOf(client.comments.browse({ query, signal })));
  return (
    <Loaded query={comments}>
      {({ data, meta }) => (
        <>
          {data.length === 0 && <EmptyState title={text.none} />}
          <ul className="stack tight">
            {data.map(({ id, user, content, created_at, is_hidden }) => (
              <li key={id} className="card stack tight">
                <div className="row">
                  <strong dir="auto">{user.name ?? user.id}</strong>
                  <span className="soft small">
                    <Time at={created_at} />
                  </span>
                  {is_hidden && <Badge tone="wait">{text.hidden}</Badge>}
                  <span className="push">
                    <Button
                      onClick={() =>
                        void perform(async () => {
                          await setHidden(id, !is_hidden);
                          notify(is_hidden ? text.shown : text.wasHidden, () => setHidden(id, is_hidden));
                        })
                      }
                    >
                      {is_hidden ? text.show : text.hide}
                    </Button>
                  </span>
                </div>
                <p className="reading prose" dir="auto">
                  {content}
                </p>
              </li>
            ))}
          </ul>
          {(after.length > 0 || meta.hasMore) && (
            <div className="pagination">
              <Button
                icon="previous"
                label={strings.table.previousPage}
                isDisabled={after.length === 0}
                onClick={() => setAfter(after.slice(0, -1))}
              />
              <Button
                icon="next"
                label={strings.table.nextPage}
                isDisabled={!meta.hasMore || meta.nextAfter === null}
                onClick={() => setAfter([...after, meta.nextAfter ?? ''])}
              />
            </div>
          )}
        </>
      )}
    </Loaded>
  );
};
