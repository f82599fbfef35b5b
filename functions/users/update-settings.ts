import { updateSettings } from '#contract/users.ts';
import { userView } from '#domain/users/change.ts';
import { changeSettings } from '#domain/users/profile.ts';
import { handle, ok } from '#http/handle.ts';
import { profilePorts } from '#ports/users.ts';

export const handler = handle(updateSettings, profilePorts, async ({ body, user }, ports) =>
  ok({ data: userView(await changeSettings(ports, user, body)) }),
);
