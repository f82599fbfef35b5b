import type { OwnerCounts } from '#catalog/types.ts';
import { DUPLICATES_MAX, type ProjectDossier, REPORTS_COUNTED_MAX } from '#contract/projects.ts';
import { catalogToCompare } from '#data/catalog.ts';
import { findLinks, type LinkRecord } from '#data/links.ts';
import { findProject, type StoredProject } from '#data/projects.ts';
import { countOpenReports } from '#data/reports.ts';
import { findUser } from '#data/users.ts';
import type { Caller } from '#model/api-key.ts';
import { mailDomain } from '#model/mail-address.ts';
import { appliedRule, liveVersion, type ProjectRecord } from '#model/project.ts';
import { canonicalHost } from '#model/url.ts';
import type { UserRecord } from '#model/user.ts';
import { mustExist } from '#shared/errors.ts';
import { staffProjectView } from './read.ts';
import { countLinks, isAllCaps, isBelow, isDisposable, isShortener, submissionsLastDay } from './rule-conditions.ts';

// docs/adr/0061 has the weights. Explanations never contain a mail address: moderators do not see them.

interface SignalFacts {
  readonly project: ProjectRecord;
  /** Undefined for an erased submitter. */
  readonly submitter: UserRecord | undefined;
  readonly counts: OwnerCounts;
  readonly lastDay: number;
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

const ofSubmitter = async ({ project, submitter, counts, lastDay }: SignalFacts): Promise<Signal[]> => {
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
  add(lastDay >= MANY_SUBMISSIONS, 'many_submissions', 0.3, `The submitter sent ${lastDay} projects within a day.`);
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
  add(isAllCaps(project), 'shouting', 0.2, 'Most letters of name and description are capitals.');
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
const signalsOf = async (facts: SignalFacts): Promise<Signal[]> =>
  [...(await ofSubmitter(facts)), ...ofContent(facts)].sort((one, other) => other.weight - one.weight);

const linkView = ({ state, checked_at, status, final_url }: LinkRecord): ProjectDossier['link'] => ({
  state,
  checked_at,
  status,
  final_url,
});

/** What is known about a project. Its cost does not depend on the size of the directory. */
const projectDossier = async (found: StoredProject, staff: Caller): Promise<ProjectDossier> => {
  const { project } = found;
  const { id, name, url, description, owner_id: ownerId, created_at: at } = project;
  const [view, directory, user, [stored], reportsOpen] = await Promise.all([
    staffProjectView(found, staff),
    catalogToCompare(),
    findUser(ownerId),
    findLinks([id]),
    countOpenReports(id, REPORTS_COUNTED_MAX),
  ]);
  const submitter = user?.erased_at === null ? user : undefined;
  // The record of another URL says nothing about this one.
  const link = stored?.url === url ? stored : undefined;
  const counts = directory.ownerCounts(ownerId);
  const lastDay = submissionsLastDay(directory, { id, at, submitter: { id: ownerId } });
  return {
    project: view,
    duplicates: directory.similar({ id, name, url, description }, DUPLICATES_MAX).map(({ entry, score, reasons }) => ({
      project: {
        id: entry.project.id,
        slug: entry.project.slug,
        name: entry.project.name,
        status: entry.project.status,
        url: entry.project.url,
      },
      score,
      reasons: [...reasons],
    })),
    submitter: {
      id: ownerId,
      name: submitter?.name ?? null,
      joined_at: submitter?.joined_at ?? null,
      email_verified: submitter?.email_verified ?? false,
      is_banned: user?.is_banned ?? false,
      counts,
      submissions_last_day: lastDay,
    },
    link: link ? linkView(link) : null,
    signals: await signalsOf({ project, submitter, counts, lastDay, link }),
    rule: appliedRule(project),
    reports_open: reportsOpen,
  };
};

/** The dossier of a project of any status, deleted ones included, and the version in its entity tag. @throws 404. */
export const readDossier = async (staff: Caller, reference: string) => {
  const stored = mustExist(await findProject(reference));
  return { data: await projectDossier(stored, staff), version: liveVersion(stored.project) };
};
