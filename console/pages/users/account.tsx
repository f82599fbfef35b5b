import { useState } from 'react';
import type { AdminUser, Role, UserDossier, UserUpdate } from '#contract/users.ts';
import { ApiError, client, dataOf, fieldErrors } from '../../api.ts';
import { notify, perform } from '../../app/notices.tsx';
import { refresh } from '../../app/queries.ts';
import { isOn } from '../../app/session.ts';
import { useUrl } from '../../app/url.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Checkbox, SelectField, TextArea, TextField } from '../../components/fields.tsx';
import { userName } from '../../components/user-link.tsx';
import * as strings from '../../strings.ts';

const update = async (id: string, body: UserUpdate): Promise<void> => {
  await dataOf(client.users.update({ params: { user: id }, body }));
  await refresh('users');
};

const roles = ['user', 'moderator', 'admin'] as const satisfies readonly Role[];

/** The role of a user. */
export const RoleCard = ({ user }: { readonly user: AdminUser }) => {
  const [role, setRole] = useState<Role>(user.role);
  const save = () =>
    perform(async () => {
      await update(user.id, { role });
      notify(strings.users.roleSaved(userName(user), strings.shell.roles[role]), () =>
        update(user.id, { role: user.role }),
      );
    });
  return (
    <form
      className="row end-aligned"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
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
  );
};

/** The value of a field for a local time, and back. */
const localTime = (time: string | null): string => {
  if (time === null) return '';
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
const utcTime = (local: string): string | null => (local === '' ? null : new Date(local).toISOString());

const banOf = ({ is_banned, ban_reason, ban_expires_at }: AdminUser): UserUpdate =>
  is_banned ? { is_banned, ban_reason, ban_expires_at } : { is_banned };

/** Bans a user, changes the ban or lifts it. */
export const BanCard = ({ user }: { readonly user: AdminUser }) => {
  const [reason, setReason] = useState(user.ban_reason ?? '');
  const [expiresAt, setExpiresAt] = useState(localTime(user.ban_expires_at));
  const [error, setError] = useState<unknown>();
  const name = userName(user);
  const change = (body: UserUpdate, text: string) =>
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
      notify(text, () => update(user.id, banOf(user)));
    });
  return (
    <form
      className="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        void change(
          { is_banned: true, ban_reason: reason, ban_expires_at: utcTime(expiresAt) },
          strings.users.bannedDone(name),
        );
      }}
    >
      <h3>{strings.users.ban}</h3>
      <p className="soft">{strings.users.banText}</p>
      <TextArea
        name="ban_reason"
        value={reason}
        rows={2}
        hint={strings.users.reasonHint}
        errors={fieldErrors(error, 'ban_reason')}
        onChange={setReason}
      />
      <TextField
        name="ban_expires_at"
        type="datetime-local"
        value={expiresAt}
        hint={strings.users.expiresHint}
        errors={fieldErrors(error, 'ban_expires_at')}
        onChange={setExpiresAt}
      />
      <div className="row">
        <Button kind={user.is_banned ? 'normal' : 'danger'} type="submit">
          {user.is_banned ? strings.users.changeBan : strings.users.ban}
        </Button>
        {user.is_banned && (
          <Button onClick={() => void change({ is_banned: false }, strings.users.lifted(name))}>
            {strings.users.lift}
          </Button>
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
    notify(strings.users.erased(name));
    change({ open: undefined }, { replace: true });
    await refresh('users', 'projects');
  };
  return (
    <div className="stack tight">
      <h3>{strings.users.erase}</h3>
      <p className="soft">{strings.users.eraseText}</p>
      <div>
        <Button kind="danger" onClick={() => setAsking(true)}>
          {strings.users.erase}
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title={strings.users.eraseTitle(name)}
          action={strings.users.erase}
          phrase={name}
          onConfirm={erase}
          onClose={() => setAsking(false)}
        >
          <p>{strings.users.eraseText}</p>
          <p>{strings.users.eraseConfirm(name)}</p>
          {user.project_count > 0 && (
            <Checkbox
              label={strings.users.eraseListings(user.project_count)}
              isChecked={withListings}
              onChange={setWithListings}
            />
          )}
        </Confirm>
      )}
    </div>
  );
};
