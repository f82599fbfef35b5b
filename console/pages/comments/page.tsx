import { useState } from 'react';
import { Link } from 'wouter';
import type { AdminComment } from '#contract/comments.ts';
import { bodyOf, client, dataOf } from '../../api.ts';
import { useCurrentUser } from '../../app/current-user.ts';
import { refresh, useCursorPages } from '../../app/queries.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { useUrl } from '../../app/url.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { CursorList } from '../../components/cursor-list.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { useCursor } from '../../components/use-cursor.ts';
import { UserLink } from '../../components/user-link.tsx';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

const setHidden = async (id: string, isHidden: boolean): Promise<void> => {
  await dataOf(client.comments.hide({ params: { comment: id }, body: { is_hidden: isHidden } }));
  await refresh('comments', 'projects');
};

const toggle = ({ id, is_hidden }: AdminComment) =>
  perform(async () => {
    await setHidden(id, !is_hidden);
    notify(is_hidden ? text.shown : text.wasHidden, () => setHidden(id, is_hidden));
  });

const CommentRow = ({ comment, onDelete }: { readonly comment: AdminComment; readonly onDelete: () => void }) => {
  const { is_admin } = useCurrentUser();
  const { content, created_at, project, user, is_hidden } = comment;
  return (
    <>
      <div className="shrink grow stack tight">
        <p className="row tight">
          <UserLink user={user} />
          <span className="soft">{text.on}</span>
          {project ? (
            <Link href={`/listings?open=${project.id}`} className="shrink">
              <bdi>{project.name}</bdi>
            </Link>
          ) : (
            <span className="soft">{text.gone}</span>
          )}
          <span className="soft small">
            <Time at={created_at} isAge />
          </span>
          {is_hidden && <Badge tone="wait">{text.hidden}</Badge>}
        </p>
        <p className="reading prose" dir="auto">
          {content}
        </p>
      </div>
      <span className="row tight">
        <Button onClick={() => void toggle(comment)}>{is_hidden ? text.show : text.hide}</Button>
        {/* Moderators hide; the service lets only administrators delete. */}
        {is_admin && (
          <Button kind="danger" onClick={onDelete}>
            {strings.actions.delete}
          </Button>
        )}
      </span>
    </>
  );
};

export const Page = () => {
  const { is_admin: isAdmin } = useCurrentUser();
  const [parameters] = useUrl();
  const [deleted, setDeleted] = useState<AdminComment>();
  const user = parameters.get('user') ?? undefined;
  const project = parameters.get('project') ?? undefined;
  const filter = { ...(user !== undefined && { user }), ...(project !== undefined && { project }) };
  const comments = useCursorPages(
    ['comments', 'browse', filter],
    (after, signal) =>
      bodyOf(client.comments.browse({ query: { ...filter, ...(after !== undefined && { after }) }, signal })),
    { poll: true },
  );
  const all = comments.data ?? [];
  const { list, isCurrent } = useCursor(all, ({ id }) => id, {
    h: { label: text.toggle, run: (comment) => void toggle(comment) },
    ...(isAdmin && { d: { label: strings.actions.delete, run: setDeleted } }),
  });
  const remove = async ({ id, project_id }: AdminComment) => {
    await dataOf(client.comments.remove({ params: { project: project_id, comment: id } }));
    notify(text.deleted);
    await refresh('comments');
  };
  return (
    <>
      <PageHeader title="Comments" />
      {(user !== undefined || project !== undefined) && (
        <p className="row lead">
          <span className="soft">{project === undefined ? text.onlyUser : text.onlyListing}</span>
          <Link href="/comments">{text.all}</Link>
        </p>
      )}
      <CursorList
        pages={comments}
        empty={
          <EmptyState title={text.empty}>
            <p>{text.emptyText}</p>
          </EmptyState>
        }
      >
        {() => (
          <ul className="card rows" ref={list} aria-label={text.list}>
            {all.map((comment) => (
              <li key={comment.id} className="row apart top" data-cursor={isCurrent(comment)}>
                <CommentRow comment={comment} onDelete={() => setDeleted(comment)} />
              </li>
            ))}
          </ul>
        )}
      </CursorList>
      {deleted && (
        <Confirm
          title={text.deleteTitle}
          action={strings.actions.delete}
          onConfirm={() => remove(deleted)}
          onClose={() => setDeleted(undefined)}
        >
          <p className="clamped" dir="auto">
            {deleted.content}
          </p>
          <p>{text.deleteText}</p>
        </Confirm>
      )}
    </>
  );
};
