import type { User } from '#contract/users.ts';
import { Badge } from '../../components/badge.tsx';
import { formatTime } from '../../format.ts';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

/** The role of a user, and whether the user is banned. */
export const UserBadges = ({ user: { role, is_banned, ban_expires_at } }: { readonly user: User }) => (
  <span className="row tight">
    <Badge tone={role === 'user' ? 'neutral' : 'accent'}>{strings.shell.roles[role]}</Badge>
    {is_banned && (
      <span title={ban_expires_at === null ? undefined : text.until(formatTime(ban_expires_at))}>
        <Badge tone="bad">{text.banned}</Badge>
      </span>
    )}
  </span>
);
