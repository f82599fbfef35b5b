import { updateProfile } from '#contract/users.ts';
import { userView } from '#domain/users/change.ts';
import { changeProfile } from '#domain/users/profile.ts';
import { handle, ok } from '#http/handle.ts';
import { profilePorts } from '#ports/users.ts';

export const handler = handle(updateProfile, profilePorts, async ({ body, user }, ports) =>
  ok({ data: userView(await changeProfile(ports, user, body)) }),
);
