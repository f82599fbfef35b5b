import { expect, it } from 'vitest';
import { htmlOf, ownHtmlOf } from '#site/markdown.ts';

const linksIn = (html: string): string[] => [...html.matchAll(/<a href="([^"]*)"/g)].map(([, address = '']) => address);

const addresses = ['https://example.com/a', 'mailto:a@example.com', '/console', '//evil.example', 'data:x', 'console'];
const text = addresses.map((address) => `[link](${address})`).join(' ');

it('texts of users link other sites only', () => {
  expect(linksIn(htmlOf(text, 'nofollow', 2))).toEqual(['https://example.com/a', 'mailto:a@example.com']);
});

it('texts of administrators link pages of the directory too, and no other site by a path', () => {
  expect(linksIn(ownHtmlOf(text))).toEqual(['https://example.com/a', 'mailto:a@example.com', '/console']);
});
