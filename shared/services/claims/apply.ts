import { claimReplacement, findClaim, undecidedClaimsOf } from '#data/claims.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { inOutbox } from '#data/event-log.ts';
import { findProject, replaceProject } from '#data/projects.ts';
import { findUser, userNotErased } from '#data/users.ts';
import { transact, type Write } from '#data/write.ts';
import { type Message, newMessage } from '#events/catalogue.ts';
import { isApiKeyId } from '#model/api-key.ts';
import { type ClaimRecord, isOpenClaim, isOvertaken } from '#model/claim.ts';
import { hasAdminRights, isModerator, isOpen } from '#model/policy.ts';
import { type ProjectRecord, projectEventData } from '#model/project.ts';
import { canonicalHost } from '#model/url.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { conflict } from '#shared/errors.ts';
import type { ProjectClaim } from './views.ts';

/** @throws 409 when the listing is not public, or was claimed or moved to another host since the claim was made. */
export const mustBeClaimable = ({ claim, project }: ProjectClaim): void => {
  if (!isOpen(project)) throw conflict('INVALID_TRANSITION', 'The listing is not public.');
  if (isOvertaken(claim, project)) throw conflict('INVALID_TRANSITION', 'Another claim of the listing was accepted.');
  if (claim.method !== 'manual' && canonicalHost(project.url) !== claim.host) {
    throw conflict('NOT_CLAIMABLE', 'The web address of the listing has changed since the claim was made.');
  }
};

/** Whether proven claims of a project need no decision: its owner is staff, a service user or erased. */
export const isAppliedAtOnce = async ({ owner_id }: ProjectRecord): Promise<boolean> => {
  if (isApiKeyId(owner_id)) return true;
  const owner = await findUser(owner_id);
  if (!owner) return false;
  return owner.erased_at !== null || hasAdminRights(owner) || (environment().features.moderators && isModerator(owner));
};

/**
 * Makes the claimant the owner, in one transaction with the claim. Other claims of the project end with it: `isOvertaken`.
 * @param actorId who decided; null when the claim was applied at once.
 * @param writes of the claim: its insertion or replacement.
 * @throws a conflict when the project was changed since it was read; 409 when the claimant was erased.
 */
export const applyClaim = async (
  { claim, project }: ProjectClaim,
  actorId: string | null,
  writes: readonly Write[],
  messages: readonly Message[] = [],
): Promise<ProjectRecord> => {
  const at = now();
  const next: ProjectRecord = {
    ...project,
    owner_id: claim.user_id,
    claimed_at: at,
    version: project.version + 1,
  };
  const claimed = newMessage('projectClaimed', actorId, {
    ...projectEventData(next),
    claim_id: claim.id,
    method: claim.method,
    previous_owner_id: project.owner_id,
  });
  const claimantExists: Write = {
    ...userNotErased(claim.user_id),
    orElse: () => conflict('INVALID_TRANSITION', 'The claimant does not exist any more.'),
  };
  const origin = { cause: 'claimed', actorId } as const;
  await replaceProject(project, next, origin, [...messages, claimed], [...writes, claimantExists]);
  return next;
};

/** The write and the event of a rejection. */
export const claimRejection = (claim: ClaimRecord, actorId: string | null, reason: string | null) => {
  const next: ClaimRecord = { ...claim, state: 'rejected', decided_at: now(), reason };
  const { id, project_id, user_id, method } = claim;
  const event = newMessage('claimRejected', actorId, { claim_id: id, project_id, user_id, method, reason });
  return { next, writes: [claimReplacement(claim, next), inOutbox(event)] };
};

/** Rejects a claim that was made before another one was applied. */
const rejectOvertaken = (claimId: string): Promise<void> =>
  retryOnConflict(async () => {
    const claim = await findClaim(claimId);
    const project = claim && (await findProject(claim.project_id))?.project;
    if (!claim || !project || !isOpenClaim(claim, now()) || !isOvertaken(claim, project)) return;
    await transact(claimRejection(claim, null, 'Another claim of the listing was accepted.').writes);
  });

/** Rejects the claims of a project that wait although another one was applied since. Safe to repeat and to interrupt. */
export const rejectOvertakenClaims = async (projectId: string): Promise<void> => {
  for await (const { id } of undecidedClaimsOf(projectId)) await rejectOvertaken(id);
};
