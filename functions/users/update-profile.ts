import { updateProfile } from '#contract/users.ts';
import { profilePorts } from '#data/user-ports.ts';
import { userView } from '#domain/users/change.ts';
import { changeProfile } from '#domain/users/profile.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(updateProfile, profilePorts, async ({ body, user }, ports) =>
  ok({ data: userView(await changeProfile(ports, user, body)) }),
);
