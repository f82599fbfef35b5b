import type { OwnerCounts } from '#catalog/types.ts';
import type { ProjectDossier } from '#contract/projects.ts';
import { canonicalHost } from '#model/canonical-url.ts';
import type { LinkRecord } from '#model/link.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { UserRecord } from '#model/user.ts';
import { isBelow, isDisposable, isShortener, mailDomain } from '#services/rules/addresses.ts';
import { countLinks, isShouted } from '#services/rules/submission-text.ts';

// docs/adr/0061 has the weights. Explanations never contain a mail address: moderators do not see them.

interface SignalFacts {
  readonly project: ProjectRecord;
  /** Undefined for an erased submitter. */
  readonly submitter: UserRecord | undefined;
  readonly counts: OwnerCounts;
  readonly submissionsLastDay: number;
  readonly link: LinkRecord | undefined;
}

type Signal = ProjectDossier['signals'][number];

const HOUR_MS = 3_600_000;
const NEW_ACCOUNT_HOURS = 24;
const MANY_LINKS = 3;
const MANY_SUBMISSIONS = 5;
const REJECTED_OFTEN = 2;

const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[.*\])$/;

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

const ofSubmitter = async ({ project, submitter, counts, submissionsLastDay }: SignalFacts): Promise<Signal[]> => {
  if (!submitter)
    return [{ name: 'submitter_erased', weight: 0.2, explanation: 'The submitter deleted their account.' }];
  const signals: Signal[] = [];
  const add = (isTrue: boolean, name: string, weight: number, explanation: string): void => {
    if (isTrue) signals.push({ name, weight, explanation });
  };
  const hours = Math.max(0, Math.floor((Date.parse(project.created_at) - Date.parse(submitter.joined_at)) / HOUR_MS));
  const domain = mailDomain(submitter.email);
  const host = canonicalHost(project.url);
  const isDisposableMail = await isDisposable(submitter.email);
  add(submitter.is_banned, 'banned', 0.6, 'The submitter is banned.');
  add(isDisposableMail, 'disposable_mail', 0.5, 'The mail address of the submitter is a disposable one.');
  add(!submitter.email_verified, 'unverified_mail', 0.2, 'The submitter has no verified mail address.');
  add(
    hours < NEW_ACCOUNT_HOURS && counts.live === 0,
    'new_account',
    0.2,
    `The submitter joined ${plural(hours, 'hour', 'hours')} before this submission and has no live project.`,
  );
  add(
    submissionsLastDay >= MANY_SUBMISSIONS,
    'many_submissions',
    0.3,
    `The submitter sent ${submissionsLastDay} projects within a day.`,
  );
  add(
    counts.rejected >= REJECTED_OFTEN && counts.rejected > counts.live,
    'often_rejected',
    0.4,
    `${plural(counts.rejected, 'project', 'projects')} of the submitter ${counts.rejected === 1 ? 'is' : 'are'} rejected, ${counts.live} ${counts.live === 1 ? 'is' : 'are'} live.`,
  );
  add(
    submitter.email_verified && !isDisposableMail && domain !== undefined && isBelow(host, new Set([domain])),
    'mail_of_site',
    -0.4,
    'The verified mail address of the submitter belongs to the domain of the link.',
  );
  return signals;
};

const ofContent = ({ project, link }: SignalFacts): Signal[] => {
  const signals: Signal[] = [];
  const add = (isTrue: boolean, name: string, weight: number, explanation: string): void => {
    if (isTrue) signals.push({ name, weight, explanation });
  };
  const host = canonicalHost(project.url);
  const links = countLinks(project);
  add(isShortener(project.url), 'shortener', 0.5, `The link is shortened by ${host}.`);
  add(IP_ADDRESS.test(host), 'address_in_link', 0.4, `The link leads to the address ${host} in place of a name.`);
  add(links >= MANY_LINKS, 'many_links', 0.3, `The texts contain ${links} links.`);
  add(isShouted(project), 'shouting', 0.2, 'Most letters of name and description are capitals.');
  if (!link) return signals;
  const finalHost = link.final_url === null ? host : canonicalHost(link.final_url);
  add(link.state === 'dead', 'dead_link', 0.5, 'The link has been missing on several days.');
  add(link.state === 'failing', 'failing_link', 0.2, 'The link was missing when it was last checked.');
  add(
    finalHost !== host && !finalHost.endsWith(`.${host}`) && !host.endsWith(`.${finalHost}`),
    'redirected',
    0.2,
    `The link redirects to ${finalHost}.`,
  );
  return signals;
};

/** Facts that moderators look for, the heaviest first. */
export const signalsOf = async (facts: SignalFacts): Promise<Signal[]> =>
  [...(await ofSubmitter(facts)), ...ofContent(facts)].sort((one, other) => other.weight - one.weight);
