/** Accepted licences for production packages: at most attribution is required. */
const PERMISSIVE: readonly string[] = [
  'MIT',
  'MIT-0',
  'Apache-2.0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'PSF-2.0',
  'Unlicense',
];

/** Licences of packages whose manifest names none, read in the licence file of exactly this version. */
const LICENCE_FILES: Readonly<Record<string, string>> = { 'color-convert@0.5.3': 'MIT' };

/** The part of `package-lock.json` that is read. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

interface LicensedPackage {
  readonly name: string;
  /** SPDX expression. */
  readonly licence: string;
}

/** The production packages and violations of the licence policy. */
interface LicenceReport {
  readonly packages: readonly LicensedPackage[];
  readonly problems: string[];
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/**
 * Whether an SPDX expression allows a permissive choice: one operand of OR, all operands of AND. Exceptions (`WITH`) are
 * not permissive.
 */
export const isPermissive = (expression: string): boolean => {
  const text = expression.trim().replace(/^\(([^()]*)\)$/, '$1');
  // Nested expressions need a manual review.
  if (/[()]/.test(text)) return false;
  return text
    .split(/\s+OR\s+/)
    .some((choice) => choice.split(/\s+AND\s+/).every((licence) => PERMISSIVE.includes(licence.trim())));
};

/** The lock has no licence for builds of other platforms; they have that of a build from the same family and version. */
const siblingLicence = ({ packages }: LockFile, name: string, version: string | undefined): string | undefined => {
  const family = name.split('/')[0] ?? name;
  return Object.entries(packages).find(
    ([path, one]) => one.optional && one.version === version && one.license && nameOf(path).startsWith(`${family}/`),
  )?.[1].license;
};

/**
 * Checks the licences of all production packages.
 * @param installedLicence returns the licence in the manifest of an installed package.
 */
export const licencesOf = (lock: LockFile, installedLicence: (path: string) => string | undefined): LicenceReport => {
  const problems: string[] = [];
  const licenceByName = new Map<string, string>();
  for (const [path, { dev, license, optional, version }] of Object.entries(lock.packages)) {
    if (path === '' || dev) continue;
    const name = nameOf(path);
    const installed = installedLicence(path);
    const licence =
      installed ??
      license ??
      LICENCE_FILES[`${name}@${version}`] ??
      (optional ? siblingLicence(lock, name, version) : undefined);
    if (licence === undefined) problems.push(`${name} declares no licence.`);
    else if (!isPermissive(licence))
      problems.push(`${name} has the licence ${licence}; accepted are ${PERMISSIVE.join(', ')}.`);
    if (installed !== undefined && license !== undefined && installed !== license)
      problems.push(`${name} declares ${installed}, but package-lock.json says ${license}.`);
    if (licence !== undefined) licenceByName.set(name, licence);
  }
  const packages = [...licenceByName].map(([name, licence]) => ({ name, licence }));
  return { packages: packages.toSorted((a, b) => (a.name < b.name ? -1 : 1)), problems };
};

/** The packages by licence, as a Markdown table. */
export const licenceList = (packages: readonly LicensedPackage[]): string => {
  const byLicence = Object.entries(Object.groupBy(packages, ({ licence }) => licence.replaceAll(/[()]/g, '')));
  const rows = byLicence
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([licence, those = []]) => `| ${licence} | ${those.map(({ name }) => `\`${name}\``).join(', ')} |`);
  return ['| Licence | Packages |', '|---|---|', ...rows].join('\n');
};
