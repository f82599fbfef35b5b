import { describe, expect, it } from 'vitest';
import { line, text } from '#contract/fields.ts';
import { plainText, withoutLinks, withoutTags } from '#model/plain-text.ts';

/** Plain text from the output of a model. */

it.each([
  ['a <b>bold</b> word', 'a bold word'],
  ['<<b>script>alert(1)<</b>/script>', 'alert(1)'],
  ['<<<i>b>script>x', 'x'],
  ['<scr<!-- -->ipt>x', 'x'],
  ['x <img src=y onerror=z', 'x img src=y onerror=z'],
  ['<<img src=y', 'img src=y'],
  ['<**script', 'script'],
  ['1 < 2 and I <3 you', '1 < 2 and I <3 you'],
  ['see [the site](https://x.example) now', 'see the site now'],
  ['![logo](a.png) [[nested](b)](c)', 'logo nested'],
  ['[a] (b) [c](d', '[a] (b) [c](d'],
  ['# Title', 'Title'],
  ['"quoted"', 'quoted'],
  ['safe\u202etxt.exe\u2066 end\u2069', 'safetxt.exe end'],
])('the plain text of %j is %j', (output, plain) => {
  expect(plainText(output)).toBe(plain);
});

const overrides = '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';

it('bidirectional overrides are removed from names and texts', () => {
  expect(line(1, 100).parse(`${overrides}Ada${overrides} Love`)).toBe('Ada Love');
  expect(text(1, 100).parse(`One${overrides}\nTwo`)).toBe('One\nTwo');
  expect(line(1, 100).safeParse(overrides).success).toBe(false);
});

it('bidirectional overrides leave marks that writing from right to left needs', () => {
  expect(line(1, 100).parse('\u05d0\u200f!')).toBe('\u05d0\u200f!');
});

describe.each([
  ['tags', withoutTags],
  ['links', withoutLinks],
])('the removal of %s', (_, remove) => {
  it.each(['[', '<', '](', '[](', '[a](', '![', '<a', '<>', '[]()', ')', ']', '[['])(
    'reads each character of a repeated %j once',
    (unit) => {
      for (const times of [10_000, 20_000]) {
        let steps = 0;
        const value = unit.repeat(times);
        remove(value, () => {
          steps += 1;
        });
        // An end that a link skips to is read by the skip and not again.
        expect(steps).toBeLessThanOrEqual(2 * value.length);
      }
    },
  );
});
