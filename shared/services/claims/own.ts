import type { Claim, LastCheck } from '#contract/claims.ts';
import { claimReplacement, findClaimOf, pageOfClaimsBy } from '#data/claims.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { type Paging, pageMeta, skipOf } from '#data/paging.ts';
import { findProject } from '#data/projects.ts';
import { transact } from '#data/write.ts';
import { type ClaimRecord, isOpenClaim } from '#model/claim.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { conflict, mustExist, notFound } from '#shared/errors.ts';
import { applyClaim, isAppliedAtOnce, mustBeClaimable } from './apply.ts';
import { lookForProof } from './proof.ts';
import { claimView, type ProjectClaim, withProjects } from './views.ts';

/** A user's claims, newest first. */
export const listOwnClaims = async (user: UserRecord, query: Paging) => {
  const { claims, total } = await pageOfClaimsBy(user.id, skipOf(query), query.limit);
  return { data: (await withProjects(claims)).map(claimView), meta: pageMeta(query, total, claims.length) };
};

/** A claim that the user has made, with its project. @throws 404; 409 unless it waits. */
const getOwnOpenClaim = async (user: UserRecord, reference: string, claimId: string): Promise<ProjectClaim> => {
  const { project } = mustExist(await findProject(reference));
  const claim = await findClaimOf(project.id, claimId);
  if (claim?.user_id !== user.id) throw notFound();
  if (!isOpenClaim(claim, now())) throw conflict('INVALID_TRANSITION', 'The claim does not wait any more.');
  return { claim, project };
};

/** @throws 404; 409 unless the claim waits. */
export const withdrawClaim = (user: UserRecord, reference: string, claimId: string): Promise<Claim> =>
  retryOnConflict(async () => {
    const { claim, project } = await getOwnOpenClaim(user, reference, claimId);
    const next: ClaimRecord = { ...claim, state: 'withdrawn', decided_at: now() };
    await transact([claimReplacement(claim, next)]);
    return claimView({ claim: next, project });
  });

const getVerifiable = async (user: UserRecord, reference: string, claimId: string): Promise<ProjectClaim> => {
  const found = await getOwnOpenClaim(user, reference, claimId);
  if (found.claim.token === null)
    throw conflict('INVALID_TRANSITION', 'The method of the claim has no proof to look for.');
  mustBeClaimable(found);
  return found;
};

/** Looks for the proof of a claim, which is proven when it is found. @throws 404; 409 unless the claim waits. */
export const verifyClaim = async (user: UserRecord, reference: string, claimId: string): Promise<Claim> => {
  const { claim: looked, project: listed } = await getVerifiable(user, reference, claimId);
  const last_check: LastCheck = { result: await lookForProof(looked, listed.url), at: now() };
  return await retryOnConflict(async () => {
    const { claim, project } = await getVerifiable(user, reference, claimId);
    const isFound = last_check.result === 'found';
    const next: ClaimRecord = { ...claim, last_check, state: isFound ? 'proven' : claim.state };
    if (isFound && (await isAppliedAtOnce(project))) {
      const approved: ClaimRecord = { ...next, state: 'approved', decided_at: last_check.at };
      await applyClaim({ claim: approved, project }, user.id, [claimReplacement(claim, approved)]);
      return claimView({ claim: approved, project });
    }
    await transact([claimReplacement(claim, next)]);
    return claimView({ claim: next, project });
  });
};
