import type { Config } from '#lib/config/schema.ts';

/** Domains reserved for examples (RFC 2606). */
const EXAMPLE = /(?:^|[@./])(?:example(?:\.(?:com|net|org))?|test|invalid)(?=$|[/:?#])/i;

const sendsMail = ({ features, identity }: Config): boolean =>
  features.email !== false || (identity.kind === 'cognito' && identity.mail === 'ses');

const textsIn = (value: unknown, path: string): readonly (readonly [path: string, text: string])[] => {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, path === '' ? name : `${path}.${name}`));
};

/** The paths of settings that contain an example address and are in use. Without mail, the sender is not in use. */
export const placeholdersIn = (config: Config): readonly string[] =>
  textsIn(config, '')
    .filter(([, text]) => EXAMPLE.test(text))
    .map(([path]) => path)
    .filter((path) => sendsMail(config) || !path.startsWith('mail.'));
