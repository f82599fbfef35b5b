import type { Theme } from '#contract/theme.ts';

const rule = (selector: string, variables: readonly (readonly [name: string, value: string])[]): string =>
  [`${selector} {`, ...variables.map(([name, value]) => `  --${name}: ${value};`), '}'].join('\n');

/** A theme as a style sheet: each colour, font and shadow a variable, those for dark surroundings under `.dark`. */
export const themeCss = ({ colors, fonts, radius, shadows }: Theme): string => {
  const shape = [
    ...Object.entries(fonts).map(([name, value]) => [`font-${name}`, value] as const),
    ['radius', radius] as const,
    ...Object.entries(shadows).map(([name, value]) => [`shadow-${name}`, value] as const),
  ];
  return `${rule(':root', [...Object.entries(colors.light), ...shape])}\n\n${rule('.dark', Object.entries(colors.dark))}\n`;
};
