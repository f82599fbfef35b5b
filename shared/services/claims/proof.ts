import { Parser } from 'htmlparser2';
import type { CheckResult } from '#contract/claims.ts';
import { type ClaimRecord, PROOF_META, PROOF_PATH, proofRecordOf } from '#model/claim.ts';
import { isInDomainOf } from '#model/claimed-host.ts';
import { claimResolve, readTxt } from '#platform/dns.ts';
import { environment } from '#platform/environment.ts';
import { readOutbound } from '#platform/outbound.ts';

/** For all requests of one look, in milliseconds; what was read until then counts. */
const LOOK_MS = 5000;
const BYTES_MAX = 256 * 1024;

const headElements: ReadonlySet<string> = new Set([
  'html',
  'head',
  'title',
  'base',
  'link',
  'meta',
  'script',
  'style',
  'noscript',
  'template',
]);

/** Elements of the head whose content is no part of it. */
const inertElements: ReadonlySet<string> = new Set(['noscript', 'template']);

/** The contents of the verification elements in the head of a page. What visitors write is in its body. */
const proofsInHead = (html: string): string[] => {
  const found: string[] = [];
  let isHead = true;
  let inert = 0;
  let isText = false;
  const parser = new Parser({
    onopentag: (name, { name: kind, content }) => {
      isHead &&= headElements.has(name);
      isText = name === 'title' || name === 'script' || name === 'style';
      if (inertElements.has(name)) inert += 1;
      const isProof = isHead && inert === 0 && name === 'meta' && kind?.trim().toLowerCase() === PROOF_META;
      if (isProof && content !== undefined) found.push(content.trim());
    },
    ontext: (text) => {
      // Text that no element of the head holds begins the body.
      isHead &&= isText || inert > 0 || text.trim() === '';
    },
    onclosetag: (name) => {
      isText = false;
      if (inertElements.has(name)) inert -= 1;
      isHead &&= name !== 'head';
    },
  });
  parser.end(html);
  return found;
};

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** A document of the host of a claim. */
const read = (url: string, { host }: ClaimRecord, signal: AbortSignal) => {
  const resolve = claimResolve(signal);
  return readOutbound(
    { url, headers: { 'user-agent': `directory-claim-check (+${environment().siteUrl})`, accept: '*/*' } },
    {
      signal,
      bytesMax: BYTES_MAX,
      isFollowed: (next) => isInDomainOf(next, host),
      ...(resolve && { resolve }),
    },
  );
};

const lookAtPage = async (claim: ClaimRecord, url: string, signal: AbortSignal): Promise<CheckResult> => {
  const fileUrl = URL.parse(PROOF_PATH, url)?.href ?? url;
  const [page, file] = await Promise.all([read(url, claim, signal), read(fileUrl, claim, signal)]);
  const isInFile = file !== undefined && isSuccess(file.status) && file.text.trim() === claim.token;
  const isHtml = page !== undefined && isSuccess(page.status) && /html/i.test(page.contentType ?? '');
  if (isInFile || (isHtml && proofsInHead(page.text).some((content) => content === claim.token))) return 'found';
  return page || file ? 'missing' : 'unreachable';
};

const lookInDns = async ({ host, token }: ClaimRecord, signal: AbortSignal): Promise<CheckResult> => {
  const records = await readTxt(proofRecordOf(host), signal);
  if (!records) return 'unreachable';
  return records.some((record) => record === token) ? 'found' : 'missing';
};

/** Looks for the proof of a claim. @param url of the listing, on the host of the claim. */
export const lookForProof = async (claim: ClaimRecord, url: string): Promise<CheckResult> => {
  const signal = AbortSignal.timeout(LOOK_MS);
  return await (claim.method === 'dns' ? lookInDns(claim, signal) : lookAtPage(claim, url, signal));
};
