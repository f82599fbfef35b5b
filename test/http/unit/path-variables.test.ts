import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { type MiddlewareRequest, paramsOf } from '#http/call.ts';
import { AppError } from '#shared/errors.ts';

/** Path variables as a REST API delivers them: percent-encoded, as the client sent them. */

const variable = (encoded: string): string | undefined =>
  paramsOf({ event: { pathParameters: { user: encoded } } as unknown as APIGatewayProxyEvent } as MiddlewareRequest)
    .user;

it.each([
  ['a-plain-slug', 'a-plain-slug'],
  ['auth0%7C5f7c8ec7', 'auth0|5f7c8ec7'],
  ['ada%40example.com', 'ada@example.com'],
  ['caf%C3%A9', 'café'],
  ['a%2Fb', 'a/b'],
  ['j9Fb+D0v', 'j9Fb+D0v'],
])('the path variable %s is decoded to %s', (encoded, value) => {
  expect(variable(encoded)).toBe(value);
});

it('a path variable is decoded once', () => {
  expect(variable('100%2525')).toBe('100%25');
});

it.each(['%', '%zz', '%ff', '%ED%A0%80', '', '%', 'x'.repeat(201)])('the path variable %s is 404', (encoded) => {
  expect(() => variable(encoded)).toThrow(AppError);
  expect(() => variable(encoded)).toThrow(expect.objectContaining({ status: 404 }));
});
