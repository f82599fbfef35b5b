import { expect, it } from 'vitest';
import type { ProjectDossier } from '#contract/projects.ts';
import { linkKey } from '#data/keys.ts';
import { saveLink } from '#data/links.ts';
import { deleteItem } from '#data/write.ts';
import { dataOf, NOT_FOUND, type Person, person, subjectOf, TIME, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();
const owner = await person(server);

const personWith = async (claims: { readonly email: string; readonly email_verified?: boolean }): Promise<Person> => {
  const token = await server.token(claims);
  return { id: subjectOf(token), email: claims.email, name: '', token };
};

const dossierOf = async (id: string): Promise<ProjectDossier> =>
  dataOf(await directory.adminOk('GET', `/api/admin/projects/${id}/dossier`));

const signalsOf = ({ signals }: ProjectDossier): string[] => signals.map(({ name }) => name);

longTest(
  'the dossier shows similar projects of every status, the most similar first, and not deleted ones',
  async () => {
    const name = unique('Tidewater Almanac');
    const listing = {
      name,
      url: `https://${unique('tide')}.example.org/`,
      description: `The ${name} predicts ebb and flood for fishermen.`,
    };
    const { id } = await directory.submit(owner, listing);
    const [pending, live, deleted, other] = [
      await directory.submit(owner, { ...listing, url: `${listing.url}?utm_source=x` }),
      await directory.live(owner, { ...listing, url: 'https://elsewhere.example.net/', description: 'Ebb and flood.' }),
      await directory.project('deleted', owner, listing),
      await directory.submit(owner, { name: unique('Zebra'), description: 'Stripes for everybody.' }),
    ];
    const { duplicates } = await dossierOf(id);
    const ids = duplicates.map(({ project }) => project.id);
    expect(ids.slice(0, 2)).toEqual([pending.id, live.id]);
    expect(ids).not.toContain(deleted.id);
    expect(ids).not.toContain(other.id);
    expect(ids).not.toContain(id);
    expect(duplicates[0]).toMatchObject({
      project: { slug: pending.slug, name, status: 'pending' },
      score: 1,
      reasons: ['same_url', 'same_host', 'similar_name', 'similar_text'],
    });
    expect(duplicates[1]?.project.status).toBe('live');
    expect(duplicates[1]?.reasons).toContain('similar_name');
    expect(duplicates[1]?.reasons).not.toContain('same_host');
  },
);

it('the dossier shows the submitter with exact counts, open reports and no mail address', async () => {
  const submitter = await person(server, { name: 'Ada Submitter' });
  const { id } = await directory.submit(submitter);
  for (const state of ['live', 'rejected', 'deleted'] as const) await directory.project(state, submitter);
  const live = await directory.live(submitter);
  const reporters = [owner, submitter];
  for (const who of reporters)
    await directory.ok(who, 'POST', `/api/projects/${live.id}/report`, { reason: 'Spam.' }, 201);
  const reports = dataOf<{ id: string; project_id: string }[]>(
    await directory.adminOk('GET', '/api/admin/reports?status=open&limit=100'),
  );
  const [settled] = reports.filter(({ project_id }) => project_id === live.id);
  await directory.adminOk('PUT', `/api/admin/reports/${settled?.id}`, { status: 'dismissed' });
  const dossier = await dossierOf(live.id);
  expect(dossier).toMatchObject({
    submitter: {
      id: submitter.id,
      name: 'Ada Submitter',
      joined_at: TIME,
      email_verified: true,
      is_banned: false,
      counts: { live: 2, pending: 1, rejected: 1, deleted: 1 },
      submissions_last_day: 5,
    },
    rule: null,
    reports_open: 1,
  });
  expect(JSON.stringify(dossier)).not.toContain(submitter.email);
  expect(await dossierOf(id)).toMatchObject({ submitter: { submissions_last_day: 1 }, reports_open: 0 });
});

it('the dossier shows the last check of the present URL only', async () => {
  const { id } = await directory.submit(owner);
  const { url } = await directory.read(id, owner);
  expect(await dossierOf(id)).toMatchObject({ link: null });
  const checked_at = new Date().toISOString();
  const link = {
    project_id: id,
    url,
    state: 'dead',
    status: 404,
    checked_at,
    final_url: null,
    failed_days: [],
  } as const;
  await saveLink(link);
  const dossier = await dossierOf(id);
  expect(dossier.link).toEqual({ state: 'dead', checked_at, status: 404, final_url: null });
  expect(signalsOf(dossier)).toContain('dead_link');
  await saveLink({ ...link, state: 'alive', status: 301, final_url: 'https://casino.example.com/' });
  const redirected = (await dossierOf(id)).signals.find(({ name }) => name === 'redirected');
  expect(redirected?.explanation).toBe('The link redirects to casino.example.com.');
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, { url: `${url}moved` });
  expect(await dossierOf(id)).toMatchObject({ link: null });
  await deleteItem(linkKey(id));
});

it('the dossier explains signals, the heaviest first', async () => {
  const submitter = await personWith({ email: `${unique('x')}@mailinator.com`, email_verified: false });
  const { id } = await directory.submit(submitter, {
    name: 'BUY CHEAP GOLD',
    url: 'https://bit.ly/gold',
    description: 'BUY NOW AT WWW.A.EXAMPLE, HTTPS://B.EXAMPLE AND HTTP://C.EXAMPLE',
  });
  const dossier = await dossierOf(id);
  expect(signalsOf(dossier).toSorted()).toEqual(
    ['shortener', 'disposable_mail', 'many_links', 'unverified_mail', 'new_account', 'shouting'].toSorted(),
  );
  const weights = dossier.signals.map(({ weight }) => weight);
  expect(weights).toEqual(weights.toSorted((one, other) => other - one));
  expect(JSON.stringify(dossier)).not.toContain('mailinator');

  const domain = `${unique('studio')}.example.com`;
  const trusted = await personWith({ email: `me@${domain}` });
  const own = await directory.submit(trusted, { url: `https://www.${domain}/` });
  expect(signalsOf(await dossierOf(own.id)).at(-1)).toBe('mail_of_site');
});

it('the dossier is 404 for an unknown project, and shows the project of an erased submitter', async () => {
  expect(await directory.get('/api/admin/projects/none/dossier', directory.admin)).toMatchObject(NOT_FOUND);
  const leaver = await person(server);
  const { id } = await directory.submit(leaver);
  await directory.ok(leaver, 'DELETE', '/api/user');
  expect(await dossierOf(id)).toMatchObject({ submitter: { id: leaver.id, name: null, joined_at: null } });
});
