import { hash } from 'node:crypto';
import { stale } from '#shared/errors.ts';

/** The digest of a text, 27 characters without dots or spaces; equal in every process. */
export const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 27);

/**
 * The strong entity tag of a single record. The digest stands for the exact body and decides `If-None-Match`; the version
 * moves with the editable fields, not with votes and views, and decides `If-Match`.
 * @param bodyDigest without dots.
 */
export const recordTag = (version: number, bodyDigest: string): string => `${version}.${bodyDigest}`;

/**
 * @param ifMatch the tags of `If-Match`, without quotes; undefined when the header is missing.
 * @throws 412 when none of them has this version.
 */
export const mustMatch = (ifMatch: readonly string[] | undefined, version: number): void => {
  if (ifMatch && !ifMatch.some((tag) => tag === '*' || tag.startsWith(`${version}.`))) throw stale();
};
