import { submit } from '#contract/projects.ts';
import { idempotency } from '#data/idempotency.ts';
import { submitPremium } from '#domain/payments/open.ts';
import { submitProject } from '#domain/projects/submit.ts';
import { created, handle, ok } from '#http/handle.ts';
import { premiumPorts } from '#ports/premium.ts';
import { submitPorts } from '#ports/projects.ts';

export const handler = handle(
  submit,
  { ...premiumPorts, ...submitPorts },
  async ({ body, user, seed }, ports) => {
    if (body.plan === 'premium') return ok({ data: await submitPremium(ports, user, body, seed) });
    const { id, slug, status } = await submitProject(ports, user, body, seed);
    return created({ data: { id, slug, status } });
  },
  { idempotency },
);
