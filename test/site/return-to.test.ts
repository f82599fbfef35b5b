import { expect, it } from 'vitest';
import { localAddress } from '../../site/browser/return-to.ts';

const ORIGIN = 'https://directory.example';

it.each([
  ['/', '/'],
  ['/projects/tea?x=1#comments', '/projects/tea?x=1#comments'],
  ['/submit?draft=dft_1', '/submit?draft=dft_1'],
  ['https://directory.example/projects', '/projects'],
])('signing in returns to %s', (path, to) => {
  expect(localAddress(path, '/', '', ORIGIN)).toBe(`${ORIGIN}${to}`);
});

it.each([
  'https://evil.example/',
  'https://directory.example.evil.example/',
  'https://directory.example@evil.example/',
  'http://directory.example/',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '\t//evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'blob:https://directory.example/x',
  'https://',
  '',
  '/sign-in?return_to=/sign-in',
])('signing in does not return to %j but to the home page', (path) => {
  expect(localAddress(path, '/', '', ORIGIN)).toBe(`${ORIGIN}/`);
});

it('a path that begins with two slashes stays an address of this site', () => {
  expect(localAddress('/.//evil.example', '/', '', ORIGIN)).toBe(`${ORIGIN}//evil.example`);
});

it('signing in returns to pages of the site only where others share its origin', () => {
  expect(localAddress('/prod/projects', '/prod/', '/prod', ORIGIN)).toBe(`${ORIGIN}/prod/projects`);
  expect(localAddress('/other/projects', '/prod/', '/prod', ORIGIN)).toBe(`${ORIGIN}/prod/`);
  expect(localAddress('/production', '/prod/', '/prod', ORIGIN)).toBe(`${ORIGIN}/prod/`);
});

it('signing in returns to pages of other languages, and else to the home page of this one', () => {
  expect(localAddress('/projects/tea', '/de', '', ORIGIN)).toBe(`${ORIGIN}/projects/tea`);
  expect(localAddress('/de/me', '/de', '', ORIGIN)).toBe(`${ORIGIN}/de/me`);
  for (const path of ['', '/de/sign-in', '//evil.example'])
    expect(localAddress(path, '/de', '', ORIGIN)).toBe(`${ORIGIN}/de`);
});
