const english = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
const local = new Intl.DisplayNames(undefined, { type: 'region' });

/** Names of the map that are abbreviated or older than those of `Intl`. */
const NAMES: Readonly<Record<string, string>> = {
  'W. Sahara': 'EH',
  'United States of America': 'US',
  'Dem. Rep. Congo': 'CD',
  'Dominican Rep.': 'DO',
  'Falkland Is.': 'FK',
  'Fr. S. Antarctic Lands': 'TF',
  "Côte d'Ivoire": 'CI',
  'Central African Rep.': 'CF',
  Congo: 'CG',
  'Eq. Guinea': 'GQ',
  eSwatini: 'SZ',
  Palestine: 'PS',
  Myanmar: 'MM',
  Turkey: 'TR',
  'Solomon Is.': 'SB',
  'Bosnia and Herz.': 'BA',
  Macedonia: 'MK',
  'Trinidad and Tobago': 'TT',
  'S. Sudan': 'SS',
};

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

const codes: ReadonlyMap<string, string> = new Map([
  ...letters
    .flatMap((first) => letters.map((second) => first + second))
    // Codes that were replaced have the name of the present one and come later in the alphabet in most cases.
    .toReversed()
    .flatMap((code) => {
      const name = english.of(code);
      return name === undefined ? [] : [[name, code] as const];
    }),
  ...Object.entries(NAMES),
]);

/** The code of two letters of a country on the map. */
export const codeOf = (name: string): string | undefined => codes.get(name);

/** The name of a country by its code; other texts, such as `Unknown`, stay. */
export const countryName = (code: string): string => (/^[A-Z]{2}$/.test(code) ? (local.of(code) ?? code) : code);
