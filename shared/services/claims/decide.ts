import type { AdminClaim, ClaimState } from '#contract/claims.ts';
import { claimReplacement, findClaim, pageOfClaims } from '#data/claims.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { type Paging, pageMeta, skipOf } from '#data/paging.ts';
import { findProject } from '#data/projects.ts';
import { transact } from '#data/write.ts';
import type { Caller } from '#model/api-key.ts';
import { type ClaimRecord, isOpenClaim } from '#model/claim.ts';
import { now } from '#platform/clock.ts';
import { conflict, mustExist } from '#shared/errors.ts';
import { applyClaim, claimRejection, mustBeClaimable } from './apply.ts';
import { adminClaimViews, type ProjectClaim, withProjects } from './views.ts';

/** A page of claims, newest first. */
export const listClaims = async (query: Paging & { readonly state?: ClaimState | undefined }) => {
  const { claims, total } = await pageOfClaims(query.state, skipOf(query), query.limit);
  return {
    data: await adminClaimViews(await withProjects(claims)),
    meta: pageMeta(query, total, claims.length),
  };
};

/** A claim with its project. @throws 404. */
export const getClaim = async (claimId: string): Promise<ProjectClaim> => {
  const claim = mustExist(await findClaim(claimId));
  const { project } = mustExist(await findProject(claim.project_id));
  return { claim, project };
};

/** @throws 404; 409 when the claim was decided, withdrawn or has expired. */
const getOpenClaim = async (claimId: string): Promise<ProjectClaim> => {
  const found = await getClaim(claimId);
  if (!isOpenClaim(found.claim, now())) throw conflict('INVALID_TRANSITION', 'The claim does not wait any more.');
  return found;
};

const viewOf = async (claim: ProjectClaim): Promise<AdminClaim> => {
  const [view] = await adminClaimViews([claim]);
  return mustExist(view);
};

/** Makes the claimant the owner. Of two concurrent approvals one succeeds. @throws 404, 409. */
export const approveClaim = (admin: Caller, claimId: string): Promise<AdminClaim> =>
  retryOnConflict(async () => {
    const { claim, project } = await getOpenClaim(claimId);
    if (claim.state !== 'proven' && claim.method !== 'manual') {
      throw conflict('INVALID_TRANSITION', 'The claim is not proven.');
    }
    if (project.owner_id === claim.user_id) {
      throw conflict('INVALID_TRANSITION', 'The claimant owns the listing already.');
    }
    mustBeClaimable({ claim, project });
    const approved: ClaimRecord = { ...claim, state: 'approved', decided_at: now() };
    const next = await applyClaim({ claim: approved, project }, admin.id, [claimReplacement(claim, approved)]);
    return await viewOf({ claim: approved, project: next });
  });

/** @throws 404; 409 unless the claim waits. */
export const rejectClaim = (admin: Caller, claimId: string, reason: string | null): Promise<AdminClaim> =>
  retryOnConflict(async () => {
    const { claim, project } = await getOpenClaim(claimId);
    const { next, writes } = claimRejection(claim, admin.id, reason);
    await transact(writes);
    return await viewOf({ claim: next, project });
  });
