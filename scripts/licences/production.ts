/** The licences that a package of production may be under: they ask for no more than to be named, if for that. */
const PERMISSIVE: readonly string[] = [
  'MIT',
  'MIT-0',
  'Apache-2.0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
];

/** As much of a lock file as says what a production install brings. */
export interface Manifests {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

/** A package with the licence that it states, as an SPDX expression. */
export interface LicensedPackage {
  readonly name: string;
  readonly licence: string;
}

/** What a production install brings, and what is wrong with it. */
export interface Licences {
  readonly packages: readonly LicensedPackage[];
  readonly complaints: string[];
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/**
 * Whether an SPDX expression leaves a choice that is permissive: one side of an OR is enough, of an AND all have to be. Exceptions
 * (`WITH`) are not known.
 */
export const isPermissive = (expression: string): boolean => {
  const text = expression.trim().replace(/^\(([^()]*)\)$/, '$1');
  // Anything nested deeper is for a human to read.
  if (/[()]/.test(text)) return false;
  return text
    .split(/\s+OR\s+/)
    .some((choice) => choice.split(/\s+AND\s+/).every((licence) => PERMISSIVE.includes(licence.trim())));
};

/** Builds for other platforms state nothing in the lock where they were never installed; they are under what their sibling is. */
const siblingLicence = ({ packages }: Manifests, name: string, version: string | undefined): string | undefined => {
  const family = name.split('/')[0] ?? name;
  return Object.entries(packages).find(
    ([path, one]) => one.optional && one.version === version && one.license && nameOf(path).startsWith(`${family}/`),
  )?.[1].license;
};

/**
 * The licences of everything that a production install brings.
 * @param installedLicence what the package in a folder says itself, if it is there.
 */
export const licencesOf = (lock: Manifests, installedLicence: (path: string) => string | undefined): Licences => {
  const complaints: string[] = [];
  const licenceByName = new Map<string, string>();
  for (const [path, { dev, license, optional, version }] of Object.entries(lock.packages)) {
    if (path === '' || dev) continue;
    const name = nameOf(path);
    const installed = installedLicence(path);
    const licence = installed ?? license ?? (optional ? siblingLicence(lock, name, version) : undefined);
    if (licence === undefined) complaints.push(`${name} states no licence.`);
    else if (!isPermissive(licence))
      complaints.push(`${name} is under ${licence}, which is not among ${PERMISSIVE.join(', ')}.`);
    if (installed !== undefined && license !== undefined && installed !== license)
      complaints.push(`${name} says ${installed} itself and ${license} in package-lock.json.`);
    if (licence !== undefined) licenceByName.set(name, licence);
  }
  const packages = [...licenceByName].map(([name, licence]) => ({ name, licence }));
  return { packages: packages.toSorted((a, b) => (a.name < b.name ? -1 : 1)), complaints };
};

/** The list of packages by licence, as a table of Markdown. */
export const licenceList = (packages: readonly LicensedPackage[]): string => {
  const byLicence = Object.entries(Object.groupBy(packages, ({ licence }) => licence.replaceAll(/[()]/g, '')));
  const rows = byLicence
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([licence, those = []]) => `| ${licence} | ${those.map(({ name }) => `\`${name}\``).join(', ')} |`);
  return ['| Licence | Packages |', '|---|---|', ...rows].join('\n');
};
