import { updateSettings } from '#contract/users.ts';
import { profilePorts } from '#data/user-ports.ts';
import { userView } from '#domain/users/change.ts';
import { changeSettings } from '#domain/users/profile.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(updateSettings, profilePorts, async ({ body, user }, ports) =>
  ok({ data: userView(await changeSettings(ports, user, body)) }),
);
