import { randomBytes } from 'node:crypto';
import type { Claim, ClaimBody } from '#contract/claims.ts';
import { catalog } from '#data/catalog.ts';
import { claimInsertion, findClaimOf, insertClaim } from '#data/claims.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { inOutbox } from '#data/event-log.ts';
import { newMessage } from '#events/catalogue.ts';
import type { ClaimRecord } from '#model/claim.ts';
import { isMailAt } from '#model/claimed-host.ts';
import type { ProjectRecord } from '#model/project.ts';
import { isProvableHost } from '#model/provable-host.ts';
import { canonicalHost } from '#model/url.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { createOnce } from '#services/create-once.ts';
import { getOpenProject } from '#services/projects/read.ts';
import { conflict } from '#shared/errors.ts';
import { applyClaim, isAppliedAtOnce } from './apply.ts';
import { claimView } from './views.ts';

/** A host with more live listings belongs to none of them. */
const HOST_LISTINGS_MAX = 20;

const notClaimable = (message: string) => conflict('NOT_CLAIMABLE', message);

/** @throws 409 when the method proves nothing about the host of the project, or not for this user. */
const mustBeProvable = async (project: ProjectRecord, user: UserRecord, method: ClaimBody['method']): Promise<void> => {
  if (project.owner_id === user.id) throw notClaimable('The listing is yours.');
  if (method === 'manual') return;
  const host = canonicalHost(project.url);
  if (!isProvableHost(host) || (await catalog('now')).liveOnHost(host) > HOST_LISTINGS_MAX) {
    throw notClaimable('Many share the host of this listing: only the method manual is possible.');
  }
  if (method === 'mail' && !(user.email_verified && user.email !== null && isMailAt(user.email, host))) {
    throw notClaimable('Your verified email address is not at the domain of this listing.');
  }
};

const newClaim = (
  id: string,
  project: ProjectRecord,
  user: UserRecord,
  { method, message }: ClaimBody,
): ClaimRecord => ({
  id,
  project_id: project.id,
  user_id: user.id,
  method,
  state: method === 'mail' ? 'proven' : 'open',
  host: canonicalHost(project.url),
  token: method === 'dns' || method === 'page' ? randomBytes(24).toString('base64url') : null,
  message: message ?? null,
  last_check: null,
  project_claimed_at: project.claimed_at,
  created_at: now(),
  decided_at: null,
  reason: null,
  version: 1,
});

/** Stores a claim of a project, and applies it when it is proven and no decision is needed. @throws 409. */
const storeClaim = async (claim: ClaimRecord, project: ProjectRecord): Promise<ClaimRecord> => {
  const { id, project_id, user_id, method } = claim;
  const opened = newMessage('claimOpened', user_id, { claim_id: id, project_id, user_id, method });
  if (claim.state === 'proven' && (await isAppliedAtOnce(project))) {
    const approved: ClaimRecord = { ...claim, state: 'approved', decided_at: claim.created_at };
    await applyClaim({ claim: approved, project }, user_id, await claimInsertion(approved), [opened]);
    return approved;
  }
  await insertClaim(claim, project, [inOutbox(opened)]);
  return claim;
};

/**
 * Claims a live listing. A claim by mail is proven, and applied when no decision is needed.
 * @param seed as in `createOnce`.
 * @throws 404, 409.
 */
export const openClaim = (user: UserRecord, reference: string, body: ClaimBody, seed?: string): Promise<Claim> =>
  retryOnConflict(async () => {
    const { project } = await getOpenProject(reference);
    const claim = await createOnce('clm', seed, {
      find: (id) => findClaimOf(project.id, id),
      create: async (id) => {
        await mustBeProvable(project, user, body.method);
        return await storeClaim(newClaim(id, project, user, body), project);
      },
    });
    return claimView({ claim, project });
  });
