import { submit } from '#contract/projects.ts';
import { idempotency } from '#data/idempotency.ts';
import { submitPorts } from '#data/project-ports.ts';
import { submitProject } from '#domain/projects/submit.ts';
import { created, handle } from '#http/handle.ts';

export const handler = handle(
  submit,
  submitPorts,
  async ({ body, user, seed }, ports) => {
    const { id, slug, status } = await submitProject(ports, user, body, seed);
    return created({ data: { id, slug, status } });
  },
  { idempotency },
);
