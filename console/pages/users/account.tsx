import { useRef, useState } from 'react';
import type { AdminUser, Role, UserDossier, UserUpdate } from '#contract/users.ts';
import { ApiError, bodyOf, client, dataOf, fieldErrors } from '../../api.ts';
import { refresh } from '../../app/queries.ts';
import { isOn } from '../../app/session.ts';
import { notify, notifyError, perform } from '../../app/toasts.tsx';
import { useUrl } from '../../app/url.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Checkbox, SelectField, TextArea, TextField } from '../../components/fields.tsx';
import { MakeAdminConfirm } from '../../components/make-admin-confirm.tsx';
import { userName } from '../../components/user-link.tsx';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

/** What one request takes. */
const BULK_MAX = 100;

const update = async (id: string, body: UserUpdate): Promise<void> => {
  await dataOf(client.users.update({ params: { user: id }, body }));
  await refresh('users');
};

const roles = ['user', 'moderator', 'admin'] as const satisfies readonly Role[];

/** The role of a user. */
export const RoleCard = ({ user }: { readonly user: AdminUser }) => {
  const [role, setRole] = useState<Role>(user.role);
  const [isAsking, setAsking] = useState(false);
  const save = () =>
    perform(async () => {
      await update(user.id, { role });
      notify(text.roleSaved(userName(user), strings.shell.roles[role]), () => update(user.id, { role: user.role }));
    });
  return (
    <>
      <form
        className="row end-aligned"
        onSubmit={(event) => {
          event.preventDefault();
          if (role === 'admin') setAsking(true);
          else void save();
        }}
      >
        <SelectField
          name="role"
          value={role}
          options={roles
            // A moderator has no rights while the feature is off, but may keep the role.
            .filter((one) => one !== 'moderator' || isOn('moderators') || user.role === one)
            .map((one) => [one, strings.shell.roles[one]])}
          onChange={setRole}
        />
        <Button type="submit" isDisabled={role === user.role}>
          {strings.actions.save}
        </Button>
      </form>
      {isAsking && <MakeAdminConfirm name={userName(user)} onConfirm={save} onClose={() => setAsking(false)} />}
    </>
  );
};

/** The value of a field for a local time, and back. */
const localTime = (time: string | null): string => {
  if (time === null) return '';
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
const utcTime = (local: string): string | null => {
  if (local === '') return null;
  const time = new Date(local);
  // A browser takes years that the service refuses.
  return Number.isNaN(time.getTime()) ? local : time.toISOString();
};

const banOf = ({ is_banned, ban_reason, ban_expires_at }: AdminUser): UserUpdate =>
  is_banned ? { is_banned, ban_reason, ban_expires_at } : { is_banned };

/** Rejects what a user has submitted and still waits. @returns the batches, which can be reverted. */
const rejectPending = async (
  owner: string,
  reason: string,
): Promise<readonly { readonly id: string; readonly changed: number; readonly failed: number }[]> => {
  const ids: string[] = [];
  let cursor: string | null | undefined;
  do {
    const query = { owner, status: 'pending', limit: BULK_MAX, ...(cursor && { cursor }) } as const;
    const { data, meta } = await bodyOf(client.projects.browse({ query }));
    ids.push(...data.map(({ id }) => id));
    cursor = meta.nextCursor;
  } while (cursor);
  const batches = [];
  for (let at = 0; at < ids.length; at += BULK_MAX) {
    const body = { action: 'reject', ids: ids.slice(at, at + BULK_MAX), reason } as const;
    const report = await dataOf(client.projects.bulk({ body }));
    if ('dry_run' in report) continue;
    const changed = report.results.filter(({ ok }) => ok).length;
    batches.push({ id: report.batch_id, changed, failed: report.results.length - changed });
  }
  await refresh('projects', 'batches', 'users');
  return batches;
};

/** Bans a user, changes the ban or lifts it. */
export const BanCard = ({ user }: { readonly user: UserDossier }) => {
  const [reason, setReason] = useState(user.ban_reason ?? '');
  const [expiresAt, setExpiresAt] = useState(localTime(user.ban_expires_at));
  const [error, setError] = useState<unknown>();
  const [isMissing, setMissing] = useState(false);
  const [rejectsPending, setRejectsPending] = useState(false);
  const { pending } = user.counts;
  const reasonField = useRef<HTMLTextAreaElement>(null);
  const name = userName(user);
  const change = (body: UserUpdate, message: string) =>
    perform(async () => {
      setError(undefined);
      try {
        await update(user.id, body);
      } catch (failure) {
        // The messages stand beside the fields.
        if (!(failure instanceof ApiError && failure.status === 400)) throw failure;
        setError(failure);
        return;
      }
      const batches = rejectsPending && body.is_banned ? await rejectPending(user.id, reason) : [];
      const rejected = batches.reduce((sum, { changed }) => sum + changed, 0);
      notify(rejected === 0 ? message : text.alsoRejected(message, rejected), async () => {
        for (const { id } of batches) await dataOf(client.batches.revert({ params: { batch: id } }));
        await update(user.id, banOf(user));
        await refresh('projects', 'batches');
      });
      const failed = batches.reduce((sum, one) => sum + one.failed, 0);
      if (failed > 0) notifyError(new Error(text.notRejected(failed)));
    });
  return (
    <form
      className="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason.trim() === '') {
          setMissing(true);
          reasonField.current?.focus();
          return;
        }
        setMissing(false);
        // The field has neither seconds nor the second of two equal hours: a time that was not changed is sent as it was.
        const isChanged = expiresAt !== localTime(user.ban_expires_at);
        const ban_expires_at = isChanged ? utcTime(expiresAt) : user.ban_expires_at;
        void change({ is_banned: true, ban_reason: reason, ban_expires_at }, text.bannedDone(name));
      }}
    >
      <h3>{text.ban}</h3>
      <p className="soft">{text.banText}</p>
      <TextArea
        name="ban_reason"
        value={reason}
        rows={2}
        hint={text.reasonHint}
        inputRef={reasonField}
        errors={isMissing ? [text.reasonMissing] : fieldErrors(error, 'ban_reason')}
        onChange={setReason}
      />
      <TextField
        name="ban_expires_at"
        type="datetime-local"
        value={expiresAt}
        hint={text.expiresHint}
        errors={fieldErrors(error, 'ban_expires_at')}
        onChange={setExpiresAt}
      />
      {pending > 0 && (
        <Checkbox label={text.rejectPending(pending)} isChecked={rejectsPending} onChange={setRejectsPending} />
      )}
      <div className="row">
        <Button kind={user.is_banned ? 'normal' : 'danger'} type="submit">
          {user.is_banned ? text.changeBan : text.ban}
        </Button>
        {user.is_banned && (
          <Button onClick={() => void change({ is_banned: false }, text.lifted(name))}>{text.lift}</Button>
        )}
      </div>
    </form>
  );
};

/** Erases a user, after the name was typed. */
export const EraseCard = ({ user }: { readonly user: UserDossier }) => {
  const [, change] = useUrl();
  const [isAsking, setAsking] = useState(false);
  const [withListings, setWithListings] = useState(false);
  const name = userName(user);
  const erase = async () => {
    await dataOf(
      client.users.remove({ params: { user: user.id }, query: { projects: withListings ? 'delete' : 'keep' } }),
    );
    notify(text.erased(name));
    change({ open: undefined }, { replace: true });
    await refresh('users', 'projects');
  };
  return (
    <div className="stack tight">
      <h3>{text.erase}</h3>
      <p className="soft">{text.eraseText}</p>
      <div>
        <Button kind="danger" onClick={() => setAsking(true)}>
          {text.erase}
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title={text.eraseTitle(name)}
          action={text.erase}
          phrase={name}
          onConfirm={erase}
          onClose={() => setAsking(false)}
        >
          <p>{text.eraseText}</p>
          <p>{text.eraseConfirm(name)}</p>
          {user.project_count > 0 && (
            <Checkbox
              label={text.eraseListings(user.project_count)}
              isChecked={withListings}
              onChange={setWithListings}
            />
          )}
        </Confirm>
      )}
    </div>
  );
};
