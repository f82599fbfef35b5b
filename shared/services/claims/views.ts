import type { AdminClaim, Claim } from '#contract/claims.ts';
import { existingProjects } from '#data/projects.ts';
import { findUsers } from '#data/users.ts';
import { type ClaimRecord, claimExpiryOf, claimStateAt, proofOf } from '#model/claim.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';

/** A claim with its project, which exists as long as the claim. */
export interface ProjectClaim {
  readonly claim: ClaimRecord;
  readonly project: ProjectRecord;
}

export const claimView = ({ claim, project: { id, slug, name } }: ProjectClaim): Claim => ({
  id: claim.id,
  project: { id, slug, name },
  method: claim.method,
  state: claimStateAt(claim, now()),
  proof: proofOf(claim),
  last_check: claim.last_check,
  created_at: claim.created_at,
  expires_at: claimExpiryOf(claim),
  decided_at: claim.decided_at,
  reason: claim.reason,
});

const userView = (user: UserRecord): NonNullable<AdminClaim['owner']> => ({
  id: user.id,
  name: user.name,
  email: user.email,
});

export const adminClaimViews = async (claims: readonly ProjectClaim[]): Promise<AdminClaim[]> => {
  const users = await findUsers([
    ...new Set(claims.flatMap(({ claim, project }) => [claim.user_id, project.owner_id])),
  ]);
  return claims.map(({ claim, project }) => {
    const [claimant, owner] = [users.get(claim.user_id), users.get(project.owner_id)];
    return {
      ...claimView({ claim, project }),
      message: claim.message,
      host: claim.host,
      // The claims of an erased user are deleted shortly after.
      claimant: claimant ? userView(claimant) : { id: claim.user_id, name: null, email: null },
      owner: owner?.erased_at === null ? userView(owner) : null,
    };
  });
};

/** The claims with their projects. Those of a project that was purged just now are left out. */
export const withProjects = async (claims: readonly ClaimRecord[]): Promise<ProjectClaim[]> => {
  const projects = await existingProjects([...new Set(claims.map(({ project_id }) => project_id))]);
  const byId = new Map(projects.map((project) => [project.id, project]));
  return claims.flatMap((claim) => {
    const project = byId.get(claim.project_id);
    return project ? [{ claim, project }] : [];
  });
};
