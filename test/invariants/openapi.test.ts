import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import { openapi } from '#shared/openapi.ts';
import manifest from '../../package.json' with { type: 'json' };
import { read } from './sources.ts';

const text = read('docs/openapi.json');
const document = openapi(routes, { version: manifest.version });

interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, { schema?: object; examples?: Record<string, { value: unknown }> }>>;
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

const at = (pointer: string): unknown =>
  pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], document);

it('docs/openapi.json is generated from the current routes; otherwise run "npm run docs"', () => {
  expect(text).toBe(`${JSON.stringify(document, null, 2)}\n`);
});

it('docs/openapi.json is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(JSON.parse(text) as Record<string, unknown>);
  expect(result).toEqual({ valid: true });
  expect(document.openapi).toMatch(/^3\.1\./);
});

it('docs/openapi.json has an operation for every route and for nothing else', () => {
  const described = operations.map(
    ({ path, method, operation }) => `${operation.operationId} ${method.toUpperCase()} ${path}`,
  );
  expect(described.toSorted()).toEqual(routes.map(({ id, method, path }) => `${id} ${method} ${path}`).toSorted());
});

it('docs/openapi.json contains the target of every reference', () => {
  const references = [...text.matchAll(/"\$ref": "([^"]+)"/g)].map(([, pointer = '']) => pointer);
  expect(references.length).toBeGreaterThan(0);
  for (const pointer of new Set(references)) expect([pointer, at(pointer)]).toEqual([pointer, expect.any(Object)]);
});

it('docs/openapi.json has error examples that match their schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
  let shown = 0;
  for (const [name, response] of Object.entries(document.components.responses ?? {})) {
    for (const [type, { examples = {} }] of Object.entries((response as Response).content ?? {})) {
      const pointer = `document#/components/responses/${name}/content/${type.replaceAll('/', '~1')}/schema`;
      for (const { value } of Object.values(examples)) {
        ajv.validate({ $ref: pointer }, value);
        expect([name, ajv.errors]).toEqual([name, null]);
        shown += 1;
      }
    }
  }
  expect(shown).toBeGreaterThan(10);
});
