import { fold } from '#catalog/fold.ts';
import type { ProjectRecord } from '#model/project.ts';

/** The texts of a submission that conditions and signals look at. */
export type SubmissionText = Pick<ProjectRecord, 'name' | 'description' | 'long_description'>;

const textsOf = ({ name, description, long_description }: SubmissionText): readonly string[] => [
  name,
  description,
  long_description ?? '',
];

const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}]+/u;

/** Scripts that do not separate words: their phrases are found anywhere. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const spaced = (text: string): string => ` ${fold(text).split(BETWEEN_WORDS).filter(Boolean).join(' ')} `;

/** The first of some words and phrases that the texts contain, as whole words without case and accents. Linear in the texts. */
export const findPhrase = (submission: SubmissionText, phrases: readonly string[]): string | undefined => {
  const texts = textsOf(submission).map(spaced);
  return phrases.find((phrase) => {
    const wanted = spaced(phrase);
    if (wanted.trim() === '') return false;
    const part = WITHOUT_SPACES.test(wanted) ? wanted.trim() : wanted;
    return texts.some((text) => text.includes(part));
  });
};

const LINK = /https?:\/\/|(?<![\p{L}\p{N}./])www\./giu;

/** The number of links in the texts. */
export const countLinks = (submission: SubmissionText): number =>
  textsOf(submission).reduce((sum, text) => sum + (text.match(LINK)?.length ?? 0), 0);

const LETTERS_MIN = 20;
const SHOUTED_PART = 0.6;

/** Whether most letters of name and short description are capitals, in scripts that have them. */
export const isShouted = ({ name, description }: SubmissionText): boolean => {
  const text = `${name} ${description}`;
  const capitals = text.match(/\p{Lu}/gu)?.length ?? 0;
  const letters = capitals + (text.match(/\p{Ll}/gu)?.length ?? 0);
  return letters >= LETTERS_MIN && capitals / letters >= SHOUTED_PART;
};
