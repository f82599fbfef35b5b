import type { Config } from '../config.ts';

/** Names that are set aside for examples and belong to nobody (RFC 2606). */
const EXAMPLE = /(?:^|[@./])(?:example(?:\.(?:com|net|org))?|test|invalid)(?=$|[/:?#])/i;

const sendsMail = ({ features, identity }: Config): boolean =>
  features.email !== false || (identity.kind === 'cognito' && identity.mail === 'ses');

const textsIn = (value: unknown, path: string): readonly (readonly [path: string, text: string])[] => {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, path === '' ? name : `${path}.${name}`));
};

/**
 * The settings that hold an example's address and would be used, by their paths. A stage that sends no mail needs no sender.
 */
export const placeholdersIn = (config: Config): readonly string[] =>
  textsIn(config, '')
    .filter(([, text]) => EXAMPLE.test(text))
    .map(([path]) => path)
    .filter((path) => sendsMail(config) || !path.startsWith('mail.'));
