import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasMarkup, plainText } from '#shared/csv/plain-text.ts';

it.each([
  ['Food &amp; Drink', 'Food & Drink'],
  ['Caf&eacute; &#8211; &#x1F600;', 'Café – 😀'],
  ['<p>One</p>\n<p>Two<br />\nthree</p>', 'One\n\nTwo\nthree'],
  ['One<br>two<BR/>three', 'One\ntwo\nthree'],
  ['<b>Bold</b> and <a href="https://x.example/?a=1&amp;b=2" onclick="x()">linked</a>', 'Bold and linked'],
  ['<ul><li>a</li><li>b</li></ul>c', 'a\nb\n\nc'],
  ['<ul>\n  <li>a &amp; b</li>\n\n  <li>&nbsp;c</li>\n</ul>', 'a & b\nc'],
  ['<h2>Title</h2>Text<div>more</div>end', 'Title\n\nText\nmore\nend'],
  ['<details><summary>s</summary>x</details>y', 's\nx\ny'],
  [
    'https://x.example/?id=1&region=eu&copy=2&lt=3&amp;y=4#&sect;',
    'https://x.example/?id=1&region=eu&copy=2&lt=3&y=4#§',
  ],
  ['<table><tr><td>a</td><td>b</td></tr></table>', 'a b'],
  ['<!-- wp:paragraph --><p>Text</p><!-- /wp:paragraph -->', 'Text'],
  ['a<script>alert("</p>")</script>b<style>p{}</style>', 'ab'],
  ['&nbsp;x&nbsp;y&nbsp;', 'x y'],
  ['&lt;b&gt; is &amp;lt;b&amp;gt;', '<b> is &lt;b&gt;'],
  ['<p>unclosed <b>tags', 'unclosed tags'],
  ['<img src="a.png" alt="A">text', 'text'],
])('the HTML %j shows %j', (html, text) => {
  expect(hasMarkup(html)).toBe(true);
  expect(plainText(html)).toBe(text);
});

it.each(['', 'AT & T', '1 < 2 > 0', 'a <3 b', 'R&D', 'x <- y', 'two\nlines', ' & ', 'a && b', '<>', '5" < 6"'])(
  'the text %j has no markup and stays',
  (text) => {
    expect(hasMarkup(text)).toBe(false);
    expect(plainText(text)).toBe(text);
  },
);

it('a text that is written as HTML is restored', () => {
  const word = fc.string({
    unit: fc.constantFrom('a', '<', '>', '&', '"', ';', 'ü', '面', '#', 'p'),
    minLength: 1,
    maxLength: 9,
  });
  const paragraph = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(fc.array(paragraph, { minLength: 1, maxLength: 4 }), (paragraphs) => {
      const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      const html = paragraphs.map((text) => `<p class="x"><em>${escaped(text)}</em></p>`).join('');
      expect(plainText(html)).toBe(paragraphs.join('\n\n'));
    }),
    { seed: 1 },
  );
});

it('HTML that is longer than any text stays, so that its row fails', () => {
  const html = `<b>${'x'.repeat(100_000)}</b>`;
  expect(plainText(html)).toBe(html);
});
