import { globSync, readFileSync } from 'node:fs';
import { IntlMessageFormat } from 'intl-messageformat';
import { expect, it } from 'vitest';
import { languages } from '#contract/languages.ts';
import { messages } from '../../site/messages.ts';

/** A part of a parsed message: an argument or a plural has a name, a plural has options. */
interface Part {
  readonly type: number;
  readonly value?: string;
  readonly options?: Readonly<Record<string, { readonly value: readonly Part[] }>>;
}

const TEXT = 0;
const PLURAL = 6;

const partsOf = (text: string, language: string): readonly Part[] =>
  new IntlMessageFormat(text, language, undefined, { ignoreTag: true }).getAst();

const nested = (parts: readonly Part[]): readonly Part[] =>
  parts.flatMap((part) => [part, ...Object.values(part.options ?? {}).flatMap(({ value }) => nested(value))]);

/** The arguments of a message with their kinds: what each `#` stands for is the plural's. */
const argumentsOf = (parts: readonly Part[]): string[] =>
  [
    ...new Set(
      nested(parts).flatMap(({ type, value }) => (type !== TEXT && value !== undefined ? [`${value} ${type}`] : [])),
    ),
  ].toSorted();

it.each(languages)('%s has all messages, with the arguments of the English ones and every plural form', (language) => {
  expect(Object.keys(messages[language])).toEqual(Object.keys(messages.en));
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  for (const [key, text] of Object.entries(messages[language])) {
    expect([key, text.trim()]).toEqual([key, text]);
    expect([key, text === '']).toEqual([key, false]);
    const parts = partsOf(text, language);
    const english = partsOf(messages.en[key as keyof typeof messages.en], 'en');
    expect([key, argumentsOf(parts)]).toEqual([key, argumentsOf(english)]);
    for (const { type, options = {} } of nested(parts)) {
      const given = Object.keys(options).filter((one) => !one.startsWith('='));
      if (type === PLURAL) expect([key, given.toSorted()]).toEqual([key, forms.toSorted()]);
    }
  }
  for (const form of forms)
    for (const counted of ['rated', 'commented'])
      expect(Object.keys(messages[language])).toContain(`project.${counted}.${form}`);
});

it('style sheets use logical properties only, so that pages turn around in languages from right to left', () => {
  const physical =
    /(?:^|[\s;{])(?:(?:margin|padding|border|scroll-margin|scroll-padding|inset)-(?:left|right|top|bottom)\b|(?:left|right)\s*:|(?:text-align|float|clear)\s*:\s*(?:left|right)|border-(?:top|bottom)-(?:left|right)-radius)/;
  const files = globSync('site/styles/*.css');
  expect(files.length).toBeGreaterThan(3);
  for (const file of files)
    for (const line of readFileSync(file, 'utf8').split('\n'))
      expect([file, line]).not.toEqual([file, expect.stringMatching(physical)]);
});
