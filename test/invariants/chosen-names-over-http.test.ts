import { expect, it } from 'vitest';
import * as z from 'zod';
import type { AuditEntry } from '#contract/audit.ts';
import type { Rule } from '#contract/rules.ts';
import { routes } from '#contract/table.ts';
import type { CallResponse } from '#test/support/client.ts';
import { dataOf, person, submission, success, unique } from '#test/support/fixtures.ts';
import { importIn, uploadFile } from '#test/support/imports.ts';
import { csv, sendImport } from '#test/support/uploads.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** Bodies with members that callers name: any name is stored and shown again, ignored, or 400. */

const { server, directory } = await ownDirectory();
const owner = await person(server);

/** Names that objects inherit, that maps of the table or its client cannot have, and that its expressions use. */
const names = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'then',
  '',
  ' ',
  'a.b',
  '#a',
  ':a',
  '0',
  'NULL',
  '😀',
];

const named = <T>(name: string, value: T): Readonly<Record<string, T>> => ({ [name]: value });

/** The routes whose bodies have members that callers name: records, and objects that accept unknown members. */
const hasChosenNames = (schema: z.core.$ZodType | undefined): boolean => {
  if (schema instanceof z.ZodRecord || schema instanceof z.ZodUnknown) return true;
  if (schema instanceof z.ZodArray) return hasChosenNames(schema.element);
  if (schema instanceof z.ZodUnion) return schema.options.some(hasChosenNames);
  if (schema instanceof z.ZodPipe) return hasChosenNames(schema.in);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return hasChosenNames(schema.unwrap());
  if (!(schema instanceof z.ZodObject)) return false;
  const { catchall } = schema.def;
  return (
    (catchall !== undefined && !(catchall instanceof z.ZodNever)) || Object.values(schema.shape).some(hasChosenNames)
  );
};

const listing = await directory.live(owner);
const draft = dataOf<{ id: string }>(await directory.ok(owner, 'POST', '/api/me/drafts', { content: {} }, 201));
const when = (name: string) => ({ all: [{ field_is: named(name, ['x']) }] });
const rule = dataOf<Rule>(
  await directory.adminOk(
    'POST',
    '/api/admin/rules',
    {
      ...{ name: 'A rule', action: 'hold', when: { all: [{ text_contains: ['never written'] }] } },
    },
    201,
  ),
);

/** The input of the newest entry of the audit log about a listing. */
const auditedInput = async (project: string): Promise<unknown> =>
  dataOf<AuditEntry[]>(await directory.adminOk('GET', `/api/admin/audit?subject=project:${project}`))[0]?.input;

const color = '10 20% 30%';
const shadow = '0 1px 2px #000';

/** Sends a body with a member of this name. The parser of bodies rejects `__proto__`. */
const cases: Readonly<Record<string, (name: string) => Promise<CallResponse>>> = {
  'projects.submit': (name) => {
    const body = submission({ categories: [directory.category], fields: named(name, 'x') });
    return directory.as(owner, 'POST', '/api/projects', body);
  },
  'projects.update': async (name) => {
    const body = { description: unique('Text'), fields: named(name, 'x') };
    const response = await directory.as(owner, 'PUT', `/api/projects/${listing.id}`, body);
    if (name !== '__proto__') expect(await auditedInput(listing.id)).toEqual(body);
    return response;
  },
  'projects.edit': async (name) => {
    const body = { description: unique('Text'), fields: named(name, { constructor: { name: 'Set' }, '': null }) };
    const response = await directory.asAdmin('PUT', `/api/admin/projects/${listing.id}`, body);
    if (name !== '__proto__') expect(await auditedInput(listing.id)).toEqual(body);
    return response;
  },
  'projects.bulk': (name) =>
    directory.asAdmin('POST', '/api/admin/projects/bulk', {
      ...{ ids: [listing.id], action: 'set_fields', fields: named(name, 'x') },
    }),
  'drafts.create': async (name) => {
    const content = { name: 'A draft', fields: named(name, named(name, 'x')), tags: named(name, 1) };
    const response = await directory.as(owner, 'POST', '/api/me/drafts', { content });
    if (name === '__proto__') return response;
    expect(response).toMatchObject({ status: 201, body: { data: { content } } });
    const { id } = dataOf<{ id: string }>(response);
    expect(await directory.get(`/api/me/drafts/${id}`, owner)).toMatchObject(success({ content }));
    return await directory.as(owner, 'DELETE', `/api/me/drafts/${id}`);
  },
  'drafts.update': async (name) => {
    const content = { fields: named(name, [named(name, 'x')]) };
    const response = await directory.as(owner, 'PUT', `/api/me/drafts/${draft.id}`, { content });
    if (name !== '__proto__') {
      expect(await directory.get(`/api/me/drafts/${draft.id}`, owner)).toMatchObject(success({ content }));
    }
    return response;
  },
  'follows.create': (name) => {
    const query = { q: unique('followed'), ...named(name, 'x'), ...named(`filter[${name}]`, 'x') };
    return directory.as(owner, 'POST', '/api/me/follows', { query, frequency: 'daily' });
  },
  'imports.start': async (name) => {
    const file = csv(['n', name, 'description'], [unique('Imported'), `https://${unique('i')}.example`, 'Text.']);
    const id = await uploadFile(directory, Buffer.from(file));
    const columns = { n: 'name', ...named(name, 'url'), description: 'description' };
    // The short form, and the long one with a name that it ignores.
    const mapping = name === 'constructor' ? columns : { columns, ...named(name, 'x') };
    const response = await directory.asAdmin('POST', `/api/admin/imports/${id}/start`, { mapping });
    if (response.status === 202) {
      expect(await importIn(directory, id, 'done')).toMatchObject({ counts: { created: 1 } });
    }
    return response;
  },
  'projects.importCsv': async (name) => {
    const file = csv(['n', name, 'description'], [unique('Imported'), `https://${unique('i')}.example`, 'Text.']);
    const columns = { n: 'name', ...named(name, 'url'), description: 'description' };
    return await sendImport(server, directory.admin.token, file, { columns });
  },
  'settings.updateTheme': async (name) => {
    const colors = { light: named(name, color), dark: named(name, color) };
    const response = await directory.asAdmin('PUT', '/api/admin/theme', { colors, shadows: named(name, shadow) });
    if (response.status === 200) {
      const theme = { colors, shadows: named(name, shadow) };
      expect(await directory.get('/api/admin/theme', directory.admin)).toMatchObject(success(theme));
      expect(await directory.get('/api/settings')).toMatchObject(success({ theme }));
      const removal = { colors: { light: named(name, null), dark: named(name, null) }, shadows: named(name, null) };
      const removed = await directory.adminOk('PUT', '/api/admin/theme', removal);
      expect(Object.keys(dataOf<typeof theme>(removed).shadows)).not.toContain(name);
    }
    return response;
  },
  'rules.create': (name) =>
    directory.asAdmin('POST', '/api/admin/rules', { name: 'A rule', action: 'hold', when: when(name) }),
  'rules.update': (name) => directory.asAdmin('PUT', `/api/admin/rules/${rule.id}`, { when: when(name) }),
  'rules.simulate': (name) =>
    directory.asAdmin('POST', '/api/admin/rules/simulate', {
      ...{ rules: [{ name: 'A rule', action: 'hold', when: when(name) }], project: listing.id },
    }),
  'mcp.call': (name) =>
    directory.as(undefined, 'POST', '/mcp', {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call', ...named(name, 'x') },
      params: { name: 'search_listings', arguments: named(name, 'x'), ...named(name, 'x') },
    }),
};

it('each route whose body has members that callers name has a case here', () => {
  const found = routes.filter(({ body }) => hasChosenNames(body)).map(({ id }) => id);
  expect(Object.keys(cases)).toEqual(expect.arrayContaining(found));
});

it.each(Object.entries(cases))('%s stores, ignores or rejects members of any name', async (_, send) => {
  for (const name of names) {
    const response = await send(name);
    expect([name, response]).toMatchObject([name, response.status < 300 ? {} : { status: 400 }]);
  }
});
