import { expect, it } from 'vitest';
import type { AuditEntry } from '#contract/audit.ts';
import type { ProjectDossier } from '#contract/projects.ts';
import type { Revision } from '#contract/revisions.ts';
import type { Rule, SimulationResult } from '#contract/rules.ts';
import { ruleKey } from '#data/keys.ts';
import { exists, updateItem } from '#data/write.ts';
import { RULES_MAX } from '#model/rule.ts';
import { mailsTo, untilEventsDelivered } from '#test/support/events.ts';
import {
  dataOf,
  INVALID,
  idOf,
  invalidAt,
  NOT_FOUND,
  type Person,
  person,
  type SeenProject,
  type Submitted,
  success,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { checkoutOf, chooseOutcome, startPremium } from '#test/support/payments.ts';
import { multipart } from '#test/support/requests.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const RULES = '/api/admin/rules';

const { server, directory } = await ownDirectory();
const owner = await person(server);

/** A rule for the projects whose text contains a word of their own, so that tests do not affect each other. */
const ruleFor = (word: string, fields: Partial<Rule> = {}) => ({
  name: `Rule for ${word}`,
  when: { all: [{ text_contains: [word] }] },
  action: 'hold',
  ...fields,
});

const create = async (body: object): Promise<Rule> => dataOf(await directory.adminOk('POST', RULES, body, 201));

const submit = (word: string, who = owner): Promise<Submitted> =>
  directory.submit(who, { description: `About ${word}.` });

const readAsAdmin = (id: string): Promise<SeenProject> => directory.read(id, directory.admin);

const dossierOf = async (id: string): Promise<ProjectDossier> =>
  dataOf(await directory.adminOk('GET', `/api/admin/projects/${id}/dossier`));

const kindsAbout = async (id: string): Promise<string[]> => {
  await untilEventsDelivered(server, directory);
  const events = (await server.events()).filter(({ data }) => (data as { project_id?: string }).project_id === id);
  return events.map(({ kind, actor_id }) => `${kind} ${actor_id ?? 'null'}`).toSorted();
};

const subjectsOfMails = async (who: Person): Promise<string[]> =>
  (await mailsTo(server, who)).map(({ subject }) => subject);

it('rules are listed in their order, changed partially and deleted', async () => {
  const word = unique('rule');
  const first = await create({ ...ruleFor(word), order: 2, reason: 'No.', note: ' ' });
  expect(first).toEqual({
    id: idOf('rul'),
    version: 1,
    name: `Rule for ${word}`,
    is_active: true,
    order: 2,
    when: { all: [{ text_contains: [word] }] },
    action: 'hold',
    reason: 'No.',
    note: null,
  });
  const second = await create({ ...ruleFor(word), order: 1, is_active: false });
  const listed = async () =>
    dataOf<Rule[]>(await directory.adminOk('GET', RULES)).filter(({ name }) => name.includes(word));
  expect(await listed()).toEqual([second, first]);

  const changed = { ...first, version: 2, order: 0, reason: null, when: { any: [{ mail_unverified: true }] } };
  const update = { order: 0, reason: null, when: { any: [{ mail_unverified: true }] } };
  expect(dataOf(await directory.adminOk('PUT', `${RULES}/${first.id}`, update))).toEqual(changed);
  expect(await listed()).toEqual([changed, second]);
  const audit = dataOf<AuditEntry[]>(await directory.adminOk('GET', `/api/admin/audit?subject=rule:${first.id}`));
  expect(audit.map(({ action }) => action)).toEqual(['rules.update', 'rules.create']);
  for (const { id } of [first, second]) {
    expect(dataOf(await directory.adminOk('DELETE', `${RULES}/${id}`))).toEqual({ id, deleted: true });
    expect(await directory.asAdmin('DELETE', `${RULES}/${id}`)).toMatchObject(NOT_FOUND);
  }
});

it('rules take hosts in any form, and words as they are written', async () => {
  const { id, when } = await create({
    ...ruleFor('any'),
    is_active: false,
    when: {
      any: [{ domain_in: ['*.WWW.Example.COM', 'müller.example.', 'x.example', '.XYZ'] }, { duplicate_score: 0.9 }],
    },
  });
  expect(when).toEqual({
    any: [{ domain_in: ['example.com', 'xn--mller-kva.example', 'x.example', '*.xyz'] }, { duplicate_score: 0.9 }],
  });
  await directory.adminOk('DELETE', `${RULES}/${id}`);
});

it.each([
  [{ when: undefined }, ['when']],
  [{ when: {} }, ['when']],
  [{ when: { all: [{ plan_is: 'premium' }], any: [{ plan_is: 'premium' }] } }, ['when']],
  [{ when: { all: [{}] } }, ['when', 'all', 0]],
  [{ when: { all: [{ unknown: true }] } }, ['when', 'all', 0]],
  [{ when: { any: [{ plan_is: 'premium', mail_unverified: true }] } }, ['when', 'any', 0]],
  [{ when: { all: [{ domain_in: ['http://a.example/'] }] } }, ['when', 'all', 0, 'domain_in', 0]],
  [{ when: { all: [{ domain_in: ['a.example', 'xyz'] }] } }, ['when', 'all', 0, 'domain_in', 1]],
  [{ when: { all: [{ mail_domain_in: ['a\u202e.example'] }] } }, ['when', 'all', 0, 'mail_domain_in', 0]],
  [{ when: { all: [{ mail_is_disposable: false }] } }, ['when', 'all', 0, 'mail_is_disposable']],
  [{ when: { all: [{ links_in_text: 0 }] } }, ['when', 'all', 0, 'links_in_text']],
  [{ when: { all: [{ duplicate_score: 1.1 }] } }, ['when', 'all', 0, 'duplicate_score']],
  [{ when: { all: [{ text_contains: Array.from({ length: 300 }, () => 'w'.repeat(100)) }] } }, ['when']],
])('rules with %j are rejected', async (fields, path) => {
  expect(await directory.asAdmin('POST', RULES, { ...ruleFor('x'), ...fields })).toMatchObject(invalidAt(...path));
});

longTest(`rules are at most ${RULES_MAX}, of concurrent requests too`, async () => {
  const existing = dataOf<Rule[]>(await directory.adminOk('GET', RULES)).length;
  const bodies = Array.from({ length: RULES_MAX - existing + 5 }, () => ({ ...ruleFor('many'), is_active: false }));
  const responses = await Promise.all(bodies.map((body) => directory.asAdmin('POST', RULES, body)));
  const created = responses.filter(({ status }) => status === 201).map((response) => dataOf<Rule>(response).id);
  expect(created).toHaveLength(RULES_MAX - existing);
  expect(responses.find(({ status }) => status !== 201)).toMatchObject(INVALID);
  await Promise.all(created.map((id) => directory.adminOk('DELETE', `${RULES}/${id}`)));
});

it('a submission that a rule matches is approved as by a moderator, with one mail and without an actor', async () => {
  const word = unique('approved');
  const submitter = await person(server);
  const rule = await create(ruleFor(word, { action: 'approve' }));
  const { id, status } = await submit(word, submitter);
  expect(status).toBe('live');
  expect(await directory.read(id)).toMatchObject({ status: 'live', published_at: expect.any(String) as string });
  expect(await kindsAbout(id)).toEqual([
    `projectApproved null`,
    `projectSubmitted ${submitter.id}`,
    'ruleApplied null',
  ]);
  expect(await subjectsOfMails(submitter)).toEqual([expect.stringMatching(/live|approved/i)]);

  const revisions = dataOf<Revision[]>(await directory.adminOk('GET', `/api/projects/${id}/revisions`));
  expect(revisions).toMatchObject([{ cause: 'rule', actor: null, state: 'applied' }]);
  const audit = dataOf<AuditEntry[]>(await directory.adminOk('GET', `/api/admin/audit?subject=project:${id}`));
  expect(audit).toMatchObject([
    {
      action: 'rules.apply',
      actor_id: null,
      subjects: [`project:${id}`, `rule:${rule.id}`],
      input: { rule: rule.id, version: 1, name: rule.name, action: 'approve', has_failed: false },
    },
  ]);
});

it('a submission that a rule matches is rejected with the reason of the rule, again when it is resubmitted, and is pending once the rule is gone', async () => {
  const word = unique('rejected');
  const submitter = await person(server);
  const rule = await create(ruleFor(word, { action: 'reject', reason: 'Not here.' }));
  const { id, status } = await submit(word, submitter);
  expect(status).toBe('rejected');
  const resubmit = async () =>
    dataOf<SeenProject>(await directory.ok(submitter, 'POST', `/api/projects/${id}/resubmit`));
  expect(await resubmit()).toMatchObject({ status: 'rejected', rejection_reason: 'Not here.' });
  await directory.adminOk('PUT', `${RULES}/${rule.id}`, { is_active: false });
  expect(await resubmit()).toMatchObject({ status: 'pending', rejection_reason: null });
  expect(await readAsAdmin(id)).toMatchObject({ rule: null });
  const kinds = await kindsAbout(id);
  expect(kinds.filter((kind) => kind === 'projectRejected null')).toHaveLength(2);
  expect((await subjectsOfMails(submitter)).length).toBe(3);
});

it('a submission that a rule matches stays pending when it is held, with the rule for administrators in queue, record and dossier', async () => {
  const word = unique('held');
  const submitter = await person(server);
  const rule = await create(ruleFor(word, { name: 'Look closer' }));
  const { id, status } = await submit(word, submitter);
  expect(status).toBe('pending');
  const applied = { id: rule.id, name: 'Look closer', action: 'hold' };
  const queue = dataOf<SeenProject[]>(await directory.adminOk('GET', '/api/admin/projects?status=pending'));
  expect(queue.find((one) => one.id === id)).toMatchObject({ rule: applied });
  expect(await readAsAdmin(id)).toMatchObject({ rule: applied });
  expect(await dossierOf(id)).toMatchObject({ rule: applied });
  expect(await directory.read(id, submitter)).not.toHaveProperty('rule');
  expect(await kindsAbout(id)).toEqual([`projectSubmitted ${submitter.id}`, 'ruleApplied null']);
  expect(await subjectsOfMails(submitter)).toHaveLength(1);
  const revisions = dataOf<Revision[]>(await directory.adminOk('GET', `/api/projects/${id}/revisions`));
  expect(revisions).toMatchObject([{ cause: 'submitted', actor: { id: submitter.id } }]);
  await directory.adminOk('PUT', `/api/admin/projects/${id}/approve`);
  expect(await readAsAdmin(id)).toMatchObject({ status: 'live', rule: applied });
});

it('a submission that a rule matches follows the first active rule by order', async () => {
  const word = unique('order');
  await create(ruleFor(word, { action: 'approve', order: 3 }));
  await create(ruleFor(word, { action: 'reject', order: 1, is_active: false }));
  const { id: used } = await create(ruleFor(word, { action: 'hold', order: 2 }));
  await create(ruleFor(word, { action: 'approve', order: 2 }));
  const { id } = await submit(word);
  expect(await readAsAdmin(id)).toMatchObject({ status: 'pending', rule: { id: used } });
});

it('a submission that a rule matches is exempt when an administrator submits or imports it', async () => {
  const word = unique('exempt');
  await create(ruleFor(word, { action: 'reject' }));
  expect(await submit(word, directory.admin)).toMatchObject({ status: 'pending' });
  const csv = `name,url,description,categories\n${word},https://${word}.example.com/,About ${word}.,${directory.category}\n`;
  const mapping = Object.fromEntries(['name', 'url', 'description', 'categories'].map((field) => [field, field]));
  const upload = await multipart({ mapping: JSON.stringify(mapping), file: new Blob([csv]) });
  const response = await server.call('POST', '/api/admin/projects/import', {
    token: directory.admin.token,
    ...upload,
  });
  expect(response).toMatchObject(success({ created: 1 }));
  await directory.ok(undefined, 'GET', `/api/projects/${word}`);
});

longTest('a submission that a rule matches is decided when it is paid for, and never rejected then', async () => {
  const pay = async (word: string, beforePayment: () => Promise<unknown> = async () => {}): Promise<SeenProject> => {
    const { checkout_id } = await startPremium(directory, owner, { description: `About ${word}.` });
    await beforePayment();
    await chooseOutcome(directory, checkout_id, 'paid');
    const { project } = await checkoutOf(directory, owner, checkout_id);
    return await readAsAdmin(project?.id ?? '');
  };
  const [rejecting, approving] = [unique('paid'), unique('paid')];
  await create(ruleFor(rejecting, { action: 'reject' }));
  const { id } = await create({
    name: 'Paid',
    when: { all: [{ plan_is: 'premium' }, { text_contains: [approving] }] },
    action: 'approve',
  });
  expect(await pay(rejecting)).toMatchObject({ status: 'pending', plan: 'premium', rule: { action: 'hold' } });
  expect(await pay(approving)).toMatchObject({ status: 'live', plan: 'premium', rule: { id } });
  const deactivate = () => directory.adminOk('PUT', `${RULES}/${id}`, { is_active: false });
  expect(await pay(approving, deactivate)).toMatchObject({ status: 'pending', rule: null });
});

it('a submission that a rule matches is held when the rule fails, which the audit log names', async () => {
  const word = unique('failing');
  const rule = await create({ ...ruleFor(word, { action: 'approve', order: -1 }) });
  await updateItem(ruleKey(rule.id), { set: { when: { all: [{ of_another_version: true }] } } }, exists);
  const { id } = await submit(word);
  expect(await readAsAdmin(id)).toMatchObject({ status: 'pending', rule: { id: rule.id, action: 'hold' } });
  const audit = dataOf<AuditEntry[]>(await directory.adminOk('GET', `/api/admin/audit?subject=project:${id}`));
  expect(audit).toMatchObject([{ input: { action: 'hold', has_failed: true } }]);
  await directory.adminOk('DELETE', `${RULES}/${rule.id}`);
});

longTest(
  'a simulation decides about the latest submissions like the rules themselves, and changes nothing',
  async () => {
    const [known, approved, held] = [unique('sim'), unique('sim'), unique('sim')];
    const [first, second, third] = [await submit(known), await submit(approved), await submit(held)];
    const byAdmin = await submit(held, directory.admin);
    const rules = [
      ruleFor(approved, { action: 'approve' }),
      ruleFor(held),
      ruleFor(held, { action: 'reject', order: 1 }),
    ];
    const simulate = async (body: object): Promise<SimulationResult> =>
      dataOf(await directory.adminOk('POST', `${RULES}/simulate`, body));
    const events = (await server.events()).length;
    const result = await simulate({ rules, last: 4 });
    expect(result.counts).toEqual({ approve: 1, reject: 0, hold: 1, none: 2 });
    expect(result.items.map(({ project, action, rule }) => [project.id, action, rule?.position])).toEqual([
      [byAdmin.id, 'none', undefined],
      [third.id, 'hold', 1],
      [second.id, 'approve', 0],
      [first.id, 'none', undefined],
    ]);
    // As of the time of the submission: the first of two equal projects had no duplicate.
    const same = { name: unique('Twin'), url: 'https://twin.example.com', description: 'Twins.' };
    const twins = [await directory.submit(owner, same), await directory.submit(owner, same)];
    const duplicates = [{ ...ruleFor('x'), when: { any: [{ duplicate_score: 0.9 }] } }];
    const { items } = await simulate({ rules: duplicates, last: 2 });
    expect(items.map(({ project, action }) => [project.id, action])).toEqual([
      [twins[1]?.id, 'hold'],
      [twins[0]?.id, 'none'],
    ]);
    expect(await readAsAdmin(second.id)).toMatchObject({ status: 'pending', rule: null });
    expect((await server.events()).length).toBeGreaterThanOrEqual(events);
    expect(await directory.asAdmin('POST', `${RULES}/simulate`, { rules: [], last: 1001 })).toMatchObject(
      invalidAt('last'),
    );
  },
);

longTest('a rule about other projects of the submitter applies to submissions and resubmissions', async () => {
  const submitter = await person(server);
  await directory.live(submitter);
  const word = unique('second');
  await create({ ...ruleFor(word), when: { all: [{ text_contains: [word] }, { live_projects: 1 }] } });
  const held = async (id: string) => expect((await readAsAdmin(id)).rule).toMatchObject({ action: 'hold' });
  const { id } = await submit(word, submitter);
  await held(id);
  await directory.adminOk('PUT', `/api/admin/projects/${id}/reject`, { reason: 'Not yet.' });
  const rejected = async () => dataOf<Submitted[]>(await directory.ok(submitter, 'GET', '/api/me/submissions'));
  await server.until(async () => (await rejected()).some((one) => one.id === id && one.status === 'rejected'));
  await directory.ok(submitter, 'POST', `/api/projects/${id}/resubmit`);
  await held(id);
});
